import { unobservedTasks, type BackgroundTask, type BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Changes } from "../messages/changes.ts";
import type { ExternalContent } from "../content/external-content.ts";
import type { Purge } from "./purge.ts";
import type { TextIndex } from "../text-index/text-index.ts";

/** First and longest pause after a failure; pauses double. */
const retryMs = 5000;
const retryMsMax = 5 * 60_000;
/** Interval at which a node looks for work that other nodes left. */
const lookMs = 30_000;
/**
 * Pause between two steps, which leaves the database to callers: as long as the step took, within bounds. After a step of the
 * text index, which spends its time on its own thread, only the minimum: the index must not fall behind incoming mail.
 */
const restMs = 5;
const restMsMax = 1000;

/** Dependencies of {@link Maintenance}. */
export interface MaintenanceParts {
  readonly purge: Pick<Purge, "step">;
  readonly changes: Pick<Changes, "isOverlong" | "forgetSome">;
  /** Null without external storage. */
  readonly outside: Pick<ExternalContent, "sweep"> | null;
  /** Null when texts are not indexed. */
  readonly textIndex: Pick<TextIndex, "step"> | null;
  readonly clock: Clock;
  readonly tasks: BackgroundTasks;
}

/** Kind of work, with failures, pauses and reports of its own. */
interface Part {
  readonly task: BackgroundTask;
  /** Does one step; returns false when there was nothing to do. */
  readonly step: () => Promise<boolean>;
  /** Whether steps leave the database idle most of the time. */
  readonly usesOwnThread: boolean;
  failureCount: number;
  /** Monotonic time in milliseconds before which it is not run. */
  dueAt: number;
}

/** Background maintenance of a node: reclaims space, trims journals and indexes texts, one step at a time. */
export class Maintenance {
  readonly #parts: readonly Part[];
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor({ purge, changes, outside, textIndex, clock, tasks }: MaintenanceParts) {
    this.#clock = clock;
    const part = (name: string, step: () => Promise<boolean>): Part => {
      return { task: tasks.register(name), step, usesOwnThread: false, failureCount: 0, dueAt: -Infinity };
    };
    // The text index reports to the registry itself.
    const ofTextIndex = (step: () => Promise<boolean>): Part => {
      const task = unobservedTasks.register("text_index");
      return { task, step, usesOwnThread: true, failureCount: 0, dueAt: -Infinity };
    };
    const forget = async (): Promise<boolean> => {
      if (!changes.isOverlong) return false;
      await changes.forgetSome();
      return true;
    };
    this.#parts = [
      part("upkeep", forget),
      part("purge", () => purge.step()),
      ...(outside === null ? [] : [part("blob_sweep", () => outside.sweep())]),
      ...(textIndex === null ? [] : [ofTextIndex(() => textIndex.step())]),
    ];
    this.#rest(lookMs);
  }

  /** Runs a step soon, because there may be work. */
  wake(): void {
    this.#isWanted = true;
    if (this.#underWay === undefined) this.#rest(restMs);
  }

  /** Stops maintenance; resolves when the current step has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#underWay;
    for (const { task } of this.#parts) task.end();
  }

  #rest(durationMs: number): void {
    this.#cancel?.();
    if (this.#isClosed) return;
    this.#cancel = this.#clock.after(durationMs, () => {
      this.#underWay = this.#step();
    });
  }

  async #step(): Promise<void> {
    this.#isWanted = false;
    const startedAt = this.#clock.monotonicMs();
    const worked = await this.#work();
    this.#underWay = undefined;
    const workedMs = this.#clock.monotonicMs() - startedAt;
    const restMsOfWork = worked?.usesOwnThread === true ? restMs : Math.max(restMs, Math.min(workedMs, restMsMax));
    this.#rest(worked !== undefined || this.#isWanted ? restMsOfWork : this.#pauseMs());
  }

  /** Runs one step of the first kind that has work, and returns it; a failing kind does not block the others. */
  async #work(): Promise<Part | undefined> {
    for (const part of this.#parts) {
      if (part.dueAt <= this.#clock.monotonicMs() && (await this.#attempt(part))) return part;
    }
    return undefined;
  }

  async #attempt(part: Part): Promise<boolean> {
    try {
      const didSome = await part.step();
      part.failureCount = 0;
      part.task.succeeded();
      return didSome;
    } catch (error) {
      const pauseMs = Math.min(retryMsMax, retryMs * 2 ** part.failureCount);
      part.failureCount += 1;
      part.dueAt = this.#clock.monotonicMs() + pauseMs;
      part.task.failed(error, pauseMs);
      return false;
    }
  }

  /** Returns the time until the next look, or until the first retry. */
  #pauseMs(): number {
    const now = this.#clock.monotonicMs();
    const due = this.#parts.filter(({ failureCount }) => failureCount > 0).map(({ dueAt }) => dueAt - now);
    return Math.max(restMs, Math.min(lookMs, ...due));
  }
}

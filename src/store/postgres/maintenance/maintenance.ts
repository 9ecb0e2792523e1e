import { unobservedTasks, type BackgroundTask, type BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Changes } from "../messages/changes.ts";
import type { ExternalContent } from "../content/external-content.ts";
import type { Purge } from "./purge.ts";
import type { TextIndex } from "../text-index/text-index.ts";

/** Pauses of a part that fails: the first, and the longest; each is twice the one before. */
const retryMs = 5000;
const retryMsMax = 5 * 60_000;
/** How often a node looks for what others left undone. */
const lookMs = 30_000;
/** Pause between two steps, so that those who wait for an answer come first: as long as the step took, within bounds. */
const restMs = 5;
const restMsMax = 1000;

/** What upkeep works on. */
export interface MaintenanceParts {
  readonly purge: Pick<Purge, "step">;
  readonly changes: Pick<Changes, "isOverlong" | "forgetSome">;
  /** Null where nothing lies outside the database. */
  readonly outside: Pick<ExternalContent, "sweep"> | null;
  /** Null where bodies are not indexed. */
  readonly textIndex: Pick<TextIndex, "step"> | null;
  readonly clock: Clock;
  readonly tasks: BackgroundTasks;
}

/** One kind of work. It fails, pauses and is reported apart from the others. */
interface Part {
  readonly task: BackgroundTask;
  /** Does one step; false when there was nothing to do. */
  readonly step: () => Promise<boolean>;
  failureCount: number;
  /** Monotonic milliseconds before which it is left alone. */
  dueAt: number;
}

/** What a node does beside its calls: reclaims space, cuts journals and indexes, a step at a time. */
export class Maintenance {
  readonly #parts: readonly Part[];
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor({ purge, changes, outside, textIndex, clock, tasks }: MaintenanceParts) {
    this.#clock = clock;
    const part = (name: string, step: () => Promise<boolean>, registry = tasks): Part => {
      return { task: registry.register(name), step, failureCount: 0, dueAt: -Infinity };
    };
    const forget = async (): Promise<boolean> => {
      if (!changes.isOverlong) return false;
      await changes.forgetSome();
      return true;
    };
    // The index of bodies reports by itself.
    this.#parts = [
      part("upkeep", forget),
      part("purge", () => purge.step()),
      ...(outside === null ? [] : [part("blob_sweep", () => outside.sweep())]),
      ...(textIndex === null ? [] : [part("text_index", () => textIndex.step(), unobservedTasks)]),
    ];
    this.#rest(lookMs);
  }

  /** To be called when there may be something to do. */
  wake(): void {
    this.#isWanted = true;
    if (this.#underWay === undefined) this.#rest(restMs);
  }

  /** Resolves when the step under way has ended; there will be no other. */
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
    const isMore = await this.#work();
    this.#underWay = undefined;
    const workedMs = this.#clock.monotonicMs() - startedAt;
    this.#rest(isMore || this.#isWanted ? Math.max(restMs, Math.min(workedMs, restMsMax)) : this.#pauseMs());
  }

  /** One step of the first part that has something to do; parts that fail keep none of the others from theirs. */
  async #work(): Promise<boolean> {
    for (const part of this.#parts) {
      if (part.dueAt <= this.#clock.monotonicMs() && (await this.#attempt(part))) return true;
    }
    return false;
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

  /** Until the next look, or until the first part that failed may try again. */
  #pauseMs(): number {
    const now = this.#clock.monotonicMs();
    const due = this.#parts.filter(({ failureCount }) => failureCount > 0).map(({ dueAt }) => dueAt - now);
    return Math.max(restMs, Math.min(lookMs, ...due));
  }
}

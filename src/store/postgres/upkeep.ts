import type { Clock } from "../../core/clock.ts";
import type { Changes } from "./changes.ts";
import type { Outside } from "./outside.ts";
import type { Purge } from "./purge.ts";
import type { TextIndex } from "./text-index.ts";

/** How often a node looks for what others left undone. */
const lookMs = 30_000;
/** Pause between two steps, so that those who wait for an answer come first: as long as the step took, within bounds. */
const restMs = 5;
const restMsMax = 1000;

/** What upkeep works on. */
export interface UpkeepParts {
  readonly purge: Purge;
  readonly changes: Changes;
  /** Null where nothing lies outside the database. */
  readonly outside: Outside | null;
  /** Null where bodies are not indexed. */
  readonly textIndex: TextIndex | null;
  readonly clock: Clock;
}

/** What a node does beside its calls: reclaims space, cuts journals and indexes, a step at a time. */
export class Upkeep {
  readonly #purge: Purge;
  readonly #changes: Changes;
  readonly #outside: Outside | null;
  readonly #textIndex: TextIndex | null;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(parts: UpkeepParts) {
    this.#purge = parts.purge;
    this.#changes = parts.changes;
    this.#outside = parts.outside;
    this.#textIndex = parts.textIndex;
    this.#clock = parts.clock;
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
    // What fails now is tried again at the next look: nobody waits for it.
    const isMore = await this.#work().catch(() => false);
    this.#underWay = undefined;
    const workedMs = Math.abs(this.#clock.monotonicMs() - startedAt);
    this.#rest(isMore || this.#isWanted ? Math.max(restMs, Math.min(workedMs, restMsMax)) : lookMs);
  }

  async #work(): Promise<boolean> {
    if (this.#changes.isOverlong) {
      await this.#changes.forgetSome();
      return true;
    }
    if (await this.#purge.step()) return true;
    return ((await this.#outside?.sweep()) ?? false) || ((await this.#textIndex?.step()) ?? false);
  }
}

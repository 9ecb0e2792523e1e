import type { Clock } from "../../core/clock.ts";
import type { Changes } from "./changes.ts";
import type { Outside } from "./outside.ts";
import type { Purge } from "./purge.ts";

/** How often a node looks for what others left undone. */
const lookMs = 30_000;
/** Pause between two steps, so that those who wait for an answer come first. */
const restMs = 5;

/** What upkeep works on. */
export interface UpkeepParts {
  readonly purge: Purge;
  readonly changes: Changes;
  /** Null where nothing lies outside the database. */
  readonly outside: Outside | null;
  readonly clock: Clock;
}

/** What a node does beside its calls: reclaims space and cuts journals, a step at a time. */
export class Upkeep {
  readonly #purge: Purge;
  readonly #changes: Changes;
  readonly #outside: Outside | null;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(parts: UpkeepParts) {
    this.#purge = parts.purge;
    this.#changes = parts.changes;
    this.#outside = parts.outside;
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
    // What fails now is tried again at the next look: nobody waits for it.
    const isMore = await this.#work().catch(() => false);
    this.#underWay = undefined;
    this.#rest(isMore || this.#isWanted ? restMs : lookMs);
  }

  async #work(): Promise<boolean> {
    if (this.#changes.isOverlong) {
      await this.#changes.forgetSome();
      return true;
    }
    return (await this.#purge.step()) || ((await this.#outside?.sweep()) ?? false);
  }
}

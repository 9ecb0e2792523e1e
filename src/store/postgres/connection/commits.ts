/** Commits of messages: of many calls together, and of those whose outcome must be known. */
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { ConnectionLost, mayBeCommitted } from "./errors.ts";

/** Call that waits to be stored; all its parts concern one server. */
export interface WaitingCall<Part, Result> {
  readonly server: number;
  readonly parts: readonly Part[];
  readonly sizeBytes: number;
  readonly resolve: (results: readonly Result[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** Calls of each server that are stored together, in the order of the server numbers. */
export type Group<Part, Result> = ReadonlyMap<number, readonly WaitingCall<Part, Result>[]>;

/** Options of group commit. */
export interface GroupCommitOptions<Part, Result> {
  /** Stores a group and settles its calls; never rejects. */
  readonly commit: (group: Group<Part, Result>) => Promise<void>;
  /** Maximum number of groups that are stored concurrently. */
  readonly commitCountMax: number;
  /** Maximum number of servers in one group. */
  readonly serverCountMax: number;
  readonly clock: Clock;
}

/** Bounds of one group, which keep its statements small; a single call may be larger. */
const callCountMax = 256;
const groupBytesMax = 8 * 1024 * 1024;
/**
 * Minimum time between the starts of two groups while several callers are active, unless enough calls wait: a commit
 * costs the database twice as much as a message, so that a few milliseconds save more than they cost.
 */
const gatherMs = 8;
const enoughCallCount = 32;

/**
 * Group commit: gathers calls while others are being stored, so that one commit takes many. A server is in one group at
 * a time: its calls are stored in their order.
 */
export class GroupCommit<Part, Result> {
  readonly #options: GroupCommitOptions<Part, Result>;
  /** Waiting calls by server, in the order in which the servers began to wait. */
  readonly #waiting = new Map<number, WaitingCall<Part, Result>[]>();
  readonly #busy = new Set<number>();
  #underWayCount = 0;
  #waitingCount = 0;
  #isAwake = false;
  #isResting = false;
  #begunAt = -Infinity;
  /** True when the last group had more than one call. */
  #isCrowded = false;

  constructor(options: GroupCommitOptions<Part, Result>) {
    this.#options = options;
  }

  /** Resolves with the outcome of each part. */
  async add(call: Pick<WaitingCall<Part, Result>, "server" | "parts" | "sizeBytes">): Promise<readonly Result[]> {
    return await new Promise((resolve, reject) => {
      this.#waitingCount += 1;
      const waiting = this.#waiting.get(call.server);
      if (waiting === undefined) this.#waiting.set(call.server, [{ ...call, resolve, reject }]);
      else waiting.push({ ...call, resolve, reject });
      this.#wake();
    });
  }

  /** Calls of one turn of the event loop are stored together. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => {
      this.#isAwake = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#underWayCount < this.#options.commitCountMax) {
      if (this.#isGathering()) return;
      const group = this.#take();
      if (group.size === 0) return;
      void this.#commit(group);
    }
  }

  /** Returns true when the next group waits for more calls; a timer starts it. */
  #isGathering(): boolean {
    const { clock } = this.#options;
    const elapsedMs = clock.monotonicMs() - this.#begunAt;
    const isAlone = !this.#isCrowded && this.#waitingCount <= 1;
    const isTime = elapsedMs < 0 || elapsedMs >= gatherMs || this.#waitingCount >= enoughCallCount;
    if (this.#waitingCount === 0 || isAlone || isTime) return false;
    if (!this.#isResting) {
      this.#isResting = true;
      clock.after(gatherMs - elapsedMs, () => {
        this.#isResting = false;
        this.#begin();
      });
    }
    return true;
  }

  async #commit(group: Group<Part, Result>): Promise<void> {
    this.#underWayCount += 1;
    this.#begunAt = this.#options.clock.monotonicMs();
    for (const server of group.keys()) this.#busy.add(server);
    await this.#options.commit(group);
    for (const server of group.keys()) this.#busy.delete(server);
    this.#underWayCount -= 1;
    this.#begin();
  }

  #take(): Group<Part, Result> {
    const taken: (readonly [number, readonly WaitingCall<Part, Result>[]])[] = [];
    let [callCount, bytes] = [0, 0];
    const isFull = (): boolean => callCount >= callCountMax || bytes >= groupBytesMax;
    for (const [server, waiting] of this.#waiting) {
      if (isFull() || taken.length >= this.#options.serverCountMax) break;
      if (this.#busy.has(server)) continue;
      let count = 0;
      for (; count < waiting.length && !isFull(); count += 1) {
        callCount += 1;
        bytes += waiting[count]?.sizeBytes ?? 0;
      }
      taken.push([server, waiting.slice(0, count)]);
      this.#waiting.delete(server);
      if (count < waiting.length) this.#waiting.set(server, waiting.slice(count));
    }
    this.#waitingCount -= callCount;
    if (callCount > 0) this.#isCrowded = callCount > 1;
    return new Map(taken.toSorted(([one], [other]) => one - other));
  }
}

/** Time and interval of attempts to resolve an unknown commit: a failover takes up to fifty seconds. */
const unknownMsMax = 60_000;
const unknownPauseMs = 250;

/** Start state of `untilKnown`. */
export interface Uncertainty {
  readonly clock: Clock;
  /** True when an earlier attempt may have been committed. */
  readonly isUnknown: boolean;
}

/**
 * Runs a transaction whose outcome must be known. When the connection is lost during the commit, the transaction is run
 * again and must detect an earlier commit by itself, until one attempt is answered, for a minute at most. Rejects with
 * the error of the last attempt.
 */
export async function untilKnown<Result>(before: Uncertainty, transact: () => Promise<Result>): Promise<Result> {
  const { clock } = before;
  const until = clock.monotonicMs() + unknownMsMax;
  let { isUnknown } = before;
  for (;;) {
    try {
      return await transact();
    } catch (error) {
      isUnknown ||= mayBeCommitted(error);
      const mayPass = error instanceof Problem && error.code === "unavailable" && (isUnknown || wasLost(error));
      if (!mayPass || clock.monotonicMs() >= until) throw error;
      await new Promise<void>((resolve) => void clock.after(unknownPauseMs, resolve));
    }
  }
}

/** Returns whether the connection was lost during the call. */
export function wasLost(error: unknown): boolean {
  return error instanceof Problem && error.cause instanceof ConnectionLost;
}

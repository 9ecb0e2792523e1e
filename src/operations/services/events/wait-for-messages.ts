import type { Principal } from "../../../core/api-key.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { Context } from "../../context.ts";
import { watchKeyValidity } from "../security/authenticate.ts";
import type { Interest, NewMatch } from "./waiters.ts";
import type { EventStreamReport } from "./event-streams.ts";

/** Signal that wakes one waiter, remembers a wake-up between two waits, and can be ended. */
export interface WakeSignal {
  readonly notify: () => void;
  readonly end: () => void;
  /** Resolves with true at the next wake-up, or at once if there was one since the last call; with false at the end. */
  readonly next: () => Promise<boolean>;
}

/** Creates a signal. */
export function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let hasEnded = false;
  let settle: ((isWoken: boolean) => void) | null = null;
  const wakeUp = (): void => {
    if (settle === null || (!isNotified && !hasEnded)) return;
    const isWoken = isNotified;
    isNotified = false;
    settle(isWoken);
    settle = null;
  };
  return {
    notify: () => {
      isNotified = true;
      wakeUp();
    },
    end: () => {
      hasEnded = true;
      wakeUp();
    },
    next: async () =>
      new Promise<boolean>((resolve) => {
        settle = resolve;
        wakeUp();
      }),
  };
}

/** Calls the action once when the signal aborts, or at once if it has, unless the returned function is called first. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  signal.addEventListener("abort", action, { once: true });
  return () => signal.removeEventListener("abort", action);
}

/** Wait for messages of one server. */
interface MessageWait<Result> {
  /** Messages that may change the result; at least one, all of the same server. Each counts as a waiter of the key. */
  readonly interests: readonly Interest[];
  /** Longest wait in milliseconds. */
  readonly waitMs: number;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Returns whether the caller's key or session can still access the server. */
  readonly isOpen: () => Promise<boolean>;
  /** Reads the result; `cursor` is the last sequence number that it considers. */
  readonly search: () => Promise<Result>;
  /** Returns what {@link search} would return when a result is followed by a match; undefined when only the store knows. */
  readonly extend?: (result: Result, match: NewMatch) => Result | undefined;
  readonly isComplete: (result: Result) => boolean;
  /** Returns the milliseconds after which an incomplete result changes without a new message; null if it does not. */
  readonly changesAfterMs?: (result: Result) => number | null;
}

/**
 * Returns the result as soon as it is complete, or the last one when `waitMs` has passed, the caller disconnects or the
 * service shuts down. Registers the waiters before the first query, so that no commit is missed between query and wait.
 * After the first query it survives outages of the store and retries: only a wait that times out during the outage fails.
 * Rejects with `unauthenticated` when the key can no longer access the server, with `unavailable` when there are too many
 * waiters, and with `too_many_requests` when the key has too many.
 */
export async function waitForMessages<Result extends { readonly cursor: number }>(
  context: Context,
  principal: Principal,
  wait: MessageWait<Result>,
): Promise<Result> {
  const { clock } = context;
  const { interests, waitMs, changesAfterMs = () => null } = wait;
  const server = interests[0]?.server;
  if (server === undefined) throw new Error("a wait has no interest");
  const wakeSignal = createWakeSignal();
  const woken = new Set<number>();
  const news = new News();
  const wake = (sequence: number | null, match: NewMatch | null): void => {
    news.add(match);
    if (sequence !== null) woken.add(sequence);
    wakeSignal.notify();
  };
  const endings: (() => void)[] = [];
  try {
    for (const interest of interests) {
      const leave = context.waiters.add({ key: principal.keyId, interest, wake, end: wakeSignal.end });
      if (leave === undefined) throw new Problem("unavailable", { retryAfterSeconds: 1 });
      endings.push(leave);
    }
    endings.push(watchKeyValidity(context, principal, { notify: wakeSignal.notify, withinMs: waitMs }));
    endings.push(clock.after(waitMs, wakeSignal.end), onAbort(wait.gone, wakeSignal.end));
    let result = await wait.search();
    context.events.noteSeen(server, result.cursor);
    while (!wait.isComplete(result)) {
      const isWoken = await nextWakeUp(clock, wakeSignal, { afterMs: changesAfterMs(result), wake });
      const read = afterNews(wait, result, isWoken ? news : noNews);
      result = await retryWhileUnavailable(async () => readIfOpen(wait, read), { clock, wakeSignal });
      if (!isWoken) break;
    }
    for (const sequence of woken) {
      context.timings.notified(server, sequence);
      context.tracing.answered(server, sequence);
    }
    return result;
  } finally {
    for (const cancel of endings) cancel();
  }
}

/** Wake-ups of a wait since its last result. */
class News {
  #count = 0;
  #match: NewMatch | null = null;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(match: NewMatch | null): void {
    this.#count += 1;
    this.#match = match;
  }

  /** Returns the match if it is the only news, and forgets all. */
  take(): NewMatch | null {
    const match = this.#count === 1 ? this.#match : null;
    this.#count = 0;
    this.#match = null;
    return match;
  }
}

const noNews: News = new News();

/** Forgets the news; returns a function that reads the result after them, from the store only where the match does not tell it. */
function afterNews<Result>(
  { search, extend }: Pick<MessageWait<Result>, "search" | "extend">,
  former: Result,
  news: News,
): () => Promise<Result> {
  if (news.isEmpty) return async () => former;
  // Before the search: what is committed while it runs needs another one.
  const match = news.take();
  const extended = match === null ? undefined : extend?.(former, match);
  return extended === undefined ? search : async () => extended;
}

/** Reads while the key is checked, which takes PostgreSQL a round trip each: a key that was revoked receives no result. */
async function readIfOpen<Result>(
  { isOpen }: Pick<MessageWait<Result>, "isOpen">,
  read: () => Promise<Result>,
): Promise<Result> {
  const [open, result] = await Promise.allSettled([isOpen(), read()]);
  if (open.status === "rejected") throw open.reason;
  if (!open.value) throw new Problem("unauthenticated");
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** As `WakeSignal.next`, and calls `wake` after `afterMs` unless it is null or the signal wakes before. */
async function nextWakeUp(
  clock: Pick<Clock, "after">,
  wakeSignal: WakeSignal,
  { afterMs, wake }: { readonly afterMs: number | null; readonly wake: (sequence: null, match: null) => void },
): Promise<boolean> {
  if (afterMs === null) return wakeSignal.next();
  const cancel = clock.after(afterMs, () => wake(null, null));
  try {
    return await wakeSignal.next();
  } finally {
    cancel();
  }
}

/** Pause before a retry in milliseconds. */
const pauseMs = 500;

/** Dependencies of {@link retryWhileUnavailable}. */
export interface RetryContext {
  readonly clock: Pick<Clock, "after">;
  readonly wakeSignal: WakeSignal;
  /** Receives every failed attempt. */
  readonly stream?: Pick<EventStreamReport, "failed">;
}

/**
 * Returns what `read` returns. While it rejects with `unavailable`, retries twice a second and whenever the signal wakes;
 * rejects when the signal has ended.
 */
export async function retryWhileUnavailable<Result>(
  read: () => Promise<Result>,
  { clock, wakeSignal, stream }: RetryContext,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "unavailable") throw error;
      stream?.failed(error, pauseMs);
      const cancel = clock.after(pauseMs, wakeSignal.notify);
      const isWoken = await wakeSignal.next();
      cancel();
      if (!isWoken) throw error;
    }
  }
}

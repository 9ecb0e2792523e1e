import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { ConnectionLost, mayBeCommitted } from "./errors.ts";

/** How long the fate of a commit is asked for, and how often: a failover takes up to fifty seconds. */
const unknownMsMax = 60_000;
const unknownPauseMs = 250;

/** What `untilKnown` starts from. */
export interface Uncertainty {
  readonly clock: Clock;
  /** Whether an attempt before the first may have been committed. */
  readonly isUnknown: boolean;
}

/**
 * Runs a transaction. Where the connection breaks while it commits, nobody knows whether it did: it is run again, and
 * must find out by itself, until one of the attempts is answered, for a minute at most. Rejects as the last attempt did.
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

/** Whether the connection went while something was under way on it. */
export function wasLost(error: unknown): boolean {
  return error instanceof Problem && error.cause instanceof ConnectionLost;
}

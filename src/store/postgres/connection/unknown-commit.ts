import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { ConnectionLost, mayBeCommitted } from "./errors.ts";

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

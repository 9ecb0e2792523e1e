import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import { ConnectionLost, mayBeCommitted } from "./faults.ts";

/** How long the fate of a commit is asked for, and how often. */
const unknownMsMax = 30_000;
const unknownPauseMs = 250;

/**
 * Runs a transaction. Where the connection breaks while it commits, nobody knows whether it did: it is run again, and
 * must find out by itself, until one of the attempts is answered. Rejects as the last attempt did.
 */
export async function untilKnown<Result>(clock: Clock, transact: () => Promise<Result>): Promise<Result> {
  const until = clock.now() + unknownMsMax;
  let isUnknown = false;
  for (;;) {
    try {
      return await transact();
    } catch (error) {
      isUnknown ||= mayBeCommitted(error);
      const mayPass = error instanceof Problem && error.code === "unavailable" && (isUnknown || wasLost(error));
      if (!mayPass || clock.now() >= until) throw error;
      await new Promise<void>((resolve) => void clock.after(unknownPauseMs, resolve));
    }
  }
}

/** Whether the connection went while something was under way on it. */
export function wasLost(error: unknown): boolean {
  return error instanceof Problem && error.cause instanceof ConnectionLost;
}

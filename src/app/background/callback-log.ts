/** Log of the attempts of callbacks: a receiver that rejects thousands of events causes one line a minute, not thousands. */
import type { Clock } from "../../core/clock.ts";
import type { CallbackReport } from "../../egress/callbacks/outcome-recorder.ts";
import type { Log } from "../log.ts";

/** Shortest time between two lines about failures of one receiver with the same status. */
const pauseMs = 60_000;
/** Receivers whose last line is remembered; the one without failures for the longest time is forgotten first. */
const receiverCountMax = 2000;

interface LastLine {
  /** Monotonic milliseconds. */
  readonly loggedAt: number;
  readonly suppressedCount: number;
}

/**
 * Returns a function that logs an attempt without URL and addresses; the id of the delivery identifies them. Of failures, it
 * logs the first of a receiver as a warning and then one a minute with `suppressedCount`, the number of those between, which
 * it logs at level debug; deliveries that failed permanently count apart from those that are attempted again.
 */
export function createCallbackLog(log: Log, clock: Pick<Clock, "monotonicMs">): (report: CallbackReport) => void {
  const lastLines = new Map<string, LastLine>();

  /** Returns how many failures were not logged since the last line; null when this one is not logged either. */
  const suppressedBefore = (key: string): number | null => {
    const now = clock.monotonicMs();
    const last = lastLines.get(key) ?? { loggedAt: -Infinity, suppressedCount: 0 };
    const isSuppressed = now - last.loggedAt < pauseMs;
    lastLines.delete(key);
    lastLines.set(
      key,
      isSuppressed ? { ...last, suppressedCount: last.suppressedCount + 1 } : { loggedAt: now, suppressedCount: 0 },
    );
    const [oldest] = lastLines.keys();
    if (oldest !== undefined && lastLines.size > receiverCountMax) lastLines.delete(oldest);
    return isSuppressed ? null : last.suppressedCount;
  };
  return ({ delivery, outcome }) => {
    const { attempt, status, disables } = outcome;
    const { id, server, target, type, attemptCount: attempts } = delivery;
    const fields = { delivery: id, server, target, type, status, attempts, responseStatus: attempt.responseStatus };
    if (attempt.error === null) log.debug(fields, "callback delivered");
    else {
      const failed = { ...fields, reason: attempt.error };
      const suppressedCount = suppressedBefore(`${status} ${delivery.queue}`);
      if (suppressedCount === null) log.debug(failed, "callback failed");
      else log.warn(suppressedCount === 0 ? failed : { ...failed, suppressedCount }, "callback failed");
    }
    if (disables !== undefined) log.warn({ server, target, reason: disables.reason }, "target of callbacks disabled");
  };
}

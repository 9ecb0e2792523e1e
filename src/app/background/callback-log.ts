/** Log of the attempts of callbacks: a receiver that rejects thousands of events causes one line a minute, not thousands. */
import type { Clock } from "../../core/clock.ts";
import type { CallbackReport } from "../../egress/callbacks/delivery-queue.ts";
import type { Log } from "../log/log.ts";
import { createSuppression, withSuppressed } from "../log/suppressed-lines.ts";

/**
 * Returns a function that logs an attempt without URL and addresses; the id of the delivery identifies them. Of failures, it
 * logs the first of a receiver as a warning and then one a minute with `suppressedCount`, the number of those between, which
 * it logs at level debug; deliveries that failed permanently count apart from those that are attempted again.
 */
export function createCallbackLog(log: Log, clock: Pick<Clock, "monotonicMs">): (report: CallbackReport) => void {
  const suppressedBefore = createSuppression(clock);
  return ({ delivery, outcome, disabled }) => {
    const { attempt, status, disables } = outcome;
    const { id, server, target, type, attemptCount: attempts } = delivery;
    const fields = { delivery: id, server, target, type, status, attempts, responseStatus: attempt.responseStatus };
    if (attempt.error === null) log.debug(fields, "callback delivered");
    else {
      const failed = { ...fields, reason: attempt.error };
      const suppressedCount = suppressedBefore(`${status} ${delivery.queue}`);
      if (suppressedCount === null) log.debug(failed, "callback failed");
      else log.warn(withSuppressed(failed, suppressedCount), "callback failed");
    }
    const reason = disables?.reason ?? disabled;
    if (reason !== undefined) log.warn({ server, target, reason }, "target of callbacks disabled");
  };
}

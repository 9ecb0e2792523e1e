/** Log of the attempts of the outbox: a relay that rejects thousands of mails causes one line a minute, not thousands. */
import type { Clock } from "../../core/clock.ts";
import type { DeliveryStage } from "../../egress/delivery-failure.ts";
import type { AttemptReport } from "../../egress/outbox/outbox-queue.ts";
import type { Log } from "../log/log.ts";
import { createSuppression, withSuppressed } from "../log/suppressed-lines.ts";

/** Stages of a delivery before any part of the mail is sent. */
const sessionStages: ReadonlySet<DeliveryStage> = new Set(["connect", "tls", "login"]);

/**
 * Returns a function that logs an attempt without addresses; the id of the entry identifies the message. Of failures with the
 * same route, status, stage and reply code, it logs the first as a warning and then one a minute with `suppressedCount`, the
 * number of those between, which it logs at level debug.
 */
export function createOutboxLog(log: Log, clock: Pick<Clock, "monotonicMs">): (report: AttemptReport) => void {
  const suppressedBefore = createSuppression(clock);
  return ({ entry, status, failure }) => {
    const { id, route, attempts } = entry;
    const fields = { entry: id, route, status, attempts };
    if (failure === null) {
      log.debug(fields, "outbox entry delivered");
      return;
    }
    const { stage, replyCode, message } = failure;
    // Before the mail is sent, error texts contain no addresses ("self-signed certificate").
    const reason = sessionStages.has(stage) ? message : undefined;
    const failed = { ...fields, stage, replyCode, reason };
    const suppressedCount = suppressedBefore(`${route} ${status} ${stage} ${String(replyCode)}`);
    if (suppressedCount === null) log.debug(failed, "outbox delivery failed");
    else log.warn(withSuppressed(failed, suppressedCount), "outbox delivery failed");
  };
}

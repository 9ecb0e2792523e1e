/** Delivery of callbacks: SMS webhooks and status reports, webhooks, event webhooks and inbound routes. */
import type { Clock } from "../../core/clock.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { contentKind } from "../../egress/callbacks/delivery-content.ts";
import { type CallbackReport, type CallbackSender, deliveryQueue } from "../../egress/callbacks/delivery-queue.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly } from "../assemble.ts";
import type { Log } from "../log/log.ts";
import { createRepeatLog } from "../log/throttled-log.ts";
import type { WorkerDependencies } from "./workers.ts";

// Log of the attempts of callbacks: a receiver that rejects thousands of events causes one line a minute, not thousands.

/**
 * Returns a function that logs an attempt without URL and addresses; the id of the delivery identifies them. Of failures, it
 * logs the first of a receiver as a warning and then one a minute with `suppressedCount`, the number of those between, which
 * it logs at level debug; deliveries that failed permanently count apart from those that are attempted again.
 */
export function createCallbackLog(log: Log, clock: Pick<Clock, "monotonicMs">): (report: CallbackReport) => void {
  const logFailure = createRepeatLog(log, clock, "warn");
  return ({ delivery, outcome, disabled }) => {
    const { attempt, status, disables } = outcome;
    const { id, server, target, type, attemptCount: attempts } = delivery;
    const fields = { delivery: id, server, target, type, status, attempts, responseStatus: attempt.responseStatus };
    if (attempt.error === null) log.debug(fields, "callback delivered");
    else logFailure(`${status} ${delivery.queue}`, { ...fields, reason: attempt.error }, "callback failed");
    const reason = disables?.reason ?? disabled;
    if (reason !== undefined) log.warn({ server, target, reason }, "target of callbacks disabled");
  };
}

/** Longest first pause of the schedule; `RESTANTE_OUTBOX_RETRY_MS` may shorten it. */
const firstPauseMsMax = 5000;

/** Starts the worker of the deliveries; the returned function stops it. */
export function startCallbackDelivery(
  { context, metrics, notifiers }: Assembly,
  { config, log, nodes, tasks, reports }: WorkerDependencies,
): () => Promise<void> {
  const { store, clock, events } = context;
  const logAttempt = createCallbackLog(log, clock);
  const onRecorded = (report: CallbackReport): void => {
    const { delivery, outcome, sequence } = report;
    const kind = contentKind(delivery.content);
    metrics.callbackAttempted({ kind, outcome: outcome.status });
    if (kind === "sms" || kind === "status") metrics.attempted({ route: "hook", status: smsStatus[outcome.status] });
    logAttempt(report);
    if (delivery.deliversMessage && outcome.status === "Delivered") reports.wake();
    if (sequence === null || delivery.message === null) return;
    const change = { sequence, kind: "failed", id: delivery.message } as const;
    events.publish({ server: decodeMessageId(delivery.message).server, change, message: null });
  };
  const firstPauseMs = Math.min(config.outboxRetryMs, firstPauseMsMax);
  const options = { queue: store.callbacks.queue, clock, firstPauseMs, random: Math.random };
  const definition = deliveryQueue({ ...options, openSender: createSender(context), onRecorded });
  const worker = startQueueWorker({ clock, nodes, tasks }, definition);
  metrics.watchCallbacks({
    pendingCount: () => worker.pending.count,
    oldestWaitingMs: () => Math.max(0, clock.now() - (worker.pending.oldestDueAt ?? Infinity)),
  });
  notifiers.deliveries.listen(worker.wake);
  return async () => {
    notifiers.deliveries.listen(() => undefined);
    await worker.close();
    context.callbackClient.close();
  };
}

/** Returns the function that opens what sends requests; it is loaded with the first one. */
function createSender(context: Assembly["context"]): () => Promise<CallbackSender> {
  let sender: CallbackSender | null = null;
  return async () => {
    const { createOpenReceiver } = await import("../../operations/callbacks/open-receiver.ts");
    sender ??= { openReceiver: createOpenReceiver(context), send: async (one) => context.callbackClient.send(one) };
    return sender;
  };
}

/** Statuses of SMS attempts in the metric of outbound messages, which counts them beside mail. */
const smsStatus = { Delivered: "Sent", Pending: "Queued", Failed: "Failed" } as const;

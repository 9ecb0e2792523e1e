/** Delivery of callbacks: SMS webhooks and status reports, webhooks, event webhooks and inbound routes. */
import { decodeMessageId } from "../../core/ids.ts";
import { deliveryQueue, type CallbackReport, type CallbackSender } from "../../egress/callbacks/delivery-queue.ts";
import { contentKind } from "../../egress/callbacks/delivery-content.ts";
import type { CallbackClient } from "../../egress/callbacks/send-callback.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly } from "../assemble.ts";
import { createCallbackLog } from "./callback-log.ts";
import type { WorkerDependencies } from "./delivery-reports.ts";

/** Longest first pause of the schedule; `RESTANTE_OUTBOX_RETRY_MS` may shorten it. */
const firstPauseMsMax = 5000;

/** Starts the worker of the deliveries; the returned function stops it. */
export function startCallbackDelivery(
  { context, metrics, onCallbackNotification }: Assembly,
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
  const sender = createSender(context);
  const firstPauseMs = Math.min(config.outboxRetryMs, firstPauseMsMax);
  const options = { queue: store.callbacks.queue, clock, firstPauseMs, random: Math.random };
  const definition = deliveryQueue({ ...options, openSender: sender.open, onRecorded });
  const worker = startQueueWorker({ clock, nodes, tasks }, definition);
  metrics.watchCallbacks({
    pendingCount: () => worker.pending.count,
    oldestWaitingMs: () => Math.max(0, clock.now() - (worker.pending.oldestDueAt ?? Infinity)),
  });
  onCallbackNotification(worker.wake);
  return async () => {
    onCallbackNotification(() => undefined);
    await worker.close();
    sender.close();
  };
}

/** Returns what sends requests; it is loaded with the first one. */
function createSender(context: Assembly["context"]): {
  readonly open: () => Promise<CallbackSender>;
  readonly close: () => void;
} {
  let client: CallbackClient | null = null;
  let sender: CallbackSender | null = null;
  return {
    open: async () => {
      if (sender !== null) return sender;
      const [{ CallbackClient: Client }, { createOpenReceiver }] = await Promise.all([
        import("../../egress/callbacks/send-callback.ts"),
        import("../../operations/callbacks/open-receiver.ts"),
      ]);
      // Several first requests may have begun at the same time.
      const opened = client ?? new Client({ policy: context.settings.targets, clock: context.clock });
      client = opened;
      sender ??= { openReceiver: createOpenReceiver(context), send: (callback) => opened.send(callback) };
      return sender;
    },
    close: () => client?.close(),
  };
}

/** Statuses of SMS attempts in the metric of outbound messages, which counts them beside mail. */
const smsStatus = { Delivered: "Sent", Pending: "Queued", Failed: "Failed" } as const;

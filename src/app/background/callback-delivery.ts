/** Delivery of callbacks: SMS webhooks and status reports, webhooks, event webhooks and inbound routes. */
import { decodeMessageId } from "../../core/ids.ts";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { CallbackWorker } from "../../egress/callbacks/callback-worker.ts";
import { contentKind } from "../../egress/callbacks/delivery-content.ts";
import type { Assembly } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import { createCallbackLog } from "./callback-log.ts";
import type { WorkerDependencies } from "./delivery-reports.ts";

/** Pause between two checks whether there are deliveries of other nodes, until the worker is loaded; and of the backlog. */
const pollMs = 5000;
/** Longest first pause of the schedule; `RESTANTE_OUTBOX_RETRY_MS` may shorten it. */
const firstPauseMsMax = 5000;

/**
 * Starts the delivery of callbacks; the returned function waits for running attempts and stops it. The worker is loaded with
 * the first delivery. When this process owns its store, deliveries that a crashed process had leased are due at once; among
 * several nodes, the heartbeat releases such leases.
 */
export async function startCallbackDelivery(
  { context, metrics, onCallbackNotification }: Assembly,
  base: WorkerDependencies,
): Promise<() => Promise<void>> {
  const { clock, store } = context;
  if (base.nodes === null) await store.callbacks.releaseDeliveryLeases(clock.now());
  const pending = { count: 0, oldestDueAt: null as number | null };
  const oldestWaitingMs = (): number => Math.max(0, clock.now() - (pending.oldestDueAt ?? Infinity));
  metrics.watchCallbacks({ pendingCount: () => pending.count, oldestWaitingMs });
  const task = base.tasks.register("callback_deliveries", {
    backlog: () => pending.count,
    oldestWaitingMs,
    degrades: "webhooks and status callbacks are delivered late",
  });
  let worker: Promise<LoadedWorker> | null = null;
  const wakeLoaded = async (): Promise<void> => {
    try {
      worker ??= loadWorker({ context, metrics }, { ...base, task });
      (await worker).wake();
    } catch (error) {
      worker = null;
      task.failed(error, pollMs);
    }
  };
  const wake = (): void => void wakeLoaded();
  const stopPolling = startBackgroundLoop(clock, {
    everyMs: pollMs,
    task: base.tasks.register("callback_backlog"),
    round: async () => {
      if (worker === null && (await store.callbacks.nextDeliveryAt()) === null) return;
      Object.assign(pending, await store.callbacks.countPending());
      wake();
    },
  });
  onCallbackNotification(wake);
  if ((await store.callbacks.nextDeliveryAt()) !== null) wake();
  return async () => {
    onCallbackNotification(() => undefined);
    await stopPolling();
    // A worker that failed to load was reported.
    await (await worker?.catch(() => null))?.close();
    task.end();
  };
}

type LoadedWorker = Pick<CallbackWorker, "wake" | "close">;

async function loadWorker(
  { context, metrics }: Pick<Assembly, "context" | "metrics">,
  { config, log, nodes, reports, task }: WorkerDependencies & { readonly task: BackgroundTask },
): Promise<LoadedWorker> {
  const [{ startCallbackWorker }, { CallbackClient }, { createOpenReceiver }] = await Promise.all([
    import("../../egress/callbacks/callback-worker.ts"),
    import("../../egress/callbacks/send-callback.ts"),
    import("../../operations/callbacks/open-receiver.ts"),
  ]);
  const { store, clock, events } = context;
  const logAttempt = createCallbackLog(log, clock);
  const client = new CallbackClient({ policy: context.settings.targets, clock });
  const worker = startCallbackWorker({
    store: store.callbacks,
    quarantine: store.quarantine,
    clock,
    ...(nodes === null ? {} : { holder: nodes.id }),
    openReceiver: createOpenReceiver(context),
    send: (callback) => client.send(callback),
    firstPauseMs: Math.min(config.outboxRetryMs, firstPauseMsMax),
    random: Math.random,
    onRecorded: (report) => {
      const { delivery, outcome, sequence } = report;
      const kind = contentKind(delivery.content);
      metrics.callbackAttempted({ kind, outcome: outcome.status });
      if (kind === "sms" || kind === "status") metrics.attempted({ route: "hook", status: smsStatus[outcome.status] });
      logAttempt(report);
      if (delivery.deliversMessage && outcome.status === "Delivered") reports.wake();
      if (sequence === null || delivery.message === null) return;
      const change = { sequence, kind: "failed", id: delivery.message } as const;
      events.publish({ server: decodeMessageId(delivery.message).server, change, message: null });
    },
    task,
  });
  return {
    wake: worker.wake,
    close: async () => {
      await worker.close();
      client.close();
    },
  };
}

/** Statuses of SMS attempts in the metric of outbound messages, which counts them beside mail. */
const smsStatus = { Delivered: "Sent", Pending: "Queued", Failed: "Failed" } as const;

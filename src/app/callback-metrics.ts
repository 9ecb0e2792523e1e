/** Metrics of callbacks. */
import { Counter, type Registry } from "prom-client";
import type { CollectedGauge } from "./memory-metrics.ts";

/** Outcome of one attempt: the kind of its content, and the status of the delivery afterwards. */
interface CallbackAttemptOutcome {
  readonly kind: string;
  readonly outcome: string;
}

/** Backlog of deliveries. */
interface CallbackBacklog {
  readonly pendingCount: () => number;
  readonly oldestWaitingMs: () => number;
}

/** Metrics of callbacks. */
export interface CallbackMetrics {
  /** Counts an attempt of a delivery. */
  readonly callbackAttempted: (outcome: CallbackAttemptOutcome) => void;
  /** Registers the gauges of pending deliveries. */
  readonly watchCallbacks: (backlog: CallbackBacklog) => void;
}

/** Creates the metrics; `sample` registers a gauge that is read at every scrape. */
export function callbackMetrics(registry: Registry, sample: (gauge: CollectedGauge) => void): CallbackMetrics {
  const attempts = new Counter({
    name: "restante_callback_attempts_total",
    help: "Attempts of callbacks, by kind (webhook, event, inbound, confirmation, sms, status) and resulting status: Delivered, Pending (to be retried), Failed",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  return {
    callbackAttempted: ({ kind, outcome }) => {
      attempts.inc({ kind, outcome });
    },
    watchCallbacks: ({ pendingCount, oldestWaitingMs }) => {
      sample({
        name: "restante_callbacks_pending",
        help: "Deliveries of callbacks that are neither delivered nor failed, counted every five seconds",
        read: pendingCount,
      });
      sample({
        name: "restante_callbacks_oldest_due_seconds",
        help: "Time since which the oldest pending delivery of a callback is due",
        read: () => oldestWaitingMs() / 1000,
      });
    },
  };
}

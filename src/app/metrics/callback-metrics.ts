/** Metrics of callbacks. */
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
  /** Sets the source of the gauges of pending deliveries; 0 until then. */
  readonly watchCallbacks: (backlog: CallbackBacklog) => void;
}

/** Name, help and labels of the counter of attempts. */
export const callbackAttempts = {
  name: "restante_callback_attempts_total",
  help: "Attempts of callbacks, by kind (webhook, event, inbound, confirmation, sms, status) and resulting status: Delivered, Pending (to be retried), Failed",
  labelNames: ["kind", "outcome"],
} as const;

/** Registers the gauges of callbacks. */
export function callbackGauges(register: (gauge: CollectedGauge) => void): Pick<CallbackMetrics, "watchCallbacks"> {
  let backlog: CallbackBacklog = { pendingCount: () => 0, oldestWaitingMs: () => 0 };
  register({
    name: "restante_callbacks_pending",
    help: "Deliveries of callbacks that are neither delivered nor failed, counted every five seconds",
    read: () => backlog.pendingCount(),
  });
  register({
    name: "restante_callbacks_oldest_due_seconds",
    help: "Time since which the oldest pending delivery of a callback is due",
    read: () => backlog.oldestWaitingMs() / 1000,
  });
  return {
    watchCallbacks: (watched) => {
      backlog = watched;
    },
  };
}

import type { CollectedGauge } from "./memory-metrics.ts";

// Metrics of callbacks.

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

/** Hit of a fault rule: of a server or the service, at a stage, with its main effect. */
interface FaultHitLabels {
  readonly scope: "server" | "service";
  readonly stage: string;
  readonly action: string;
}

/** Metrics of fault rules. */
export interface FaultMetrics {
  /** Counts a hit of a fault rule. */
  readonly faultHit: (hit: FaultHitLabels) => void;
}

/** Name, help and labels of the counter of hits. */
export const faultHits = {
  name: "restante_fault_hits_total",
  help: "Hits of fault rules, by scope (server, service), stage and main effect",
  labelNames: ["scope", "stage", "action"],
} as const;

/** Outcome of a scan: `scanned`; `deleted`: the mail was deleted; `dropped`: every attempt has failed. */
type ScanLabel = "scanned" | "deleted" | "dropped";

/** Metrics of link scanners. */
export interface ScanMetrics {
  /** Counts a scan of the links of a mail. */
  readonly linksScanned: (outcome: ScanLabel) => void;
}

/** Name, help and labels of the counter of scans. */
export const linkScans = {
  name: "restante_link_scans_total",
  help: "Scans of the links of mails by link scanners, by outcome: scanned, deleted (the mail), dropped",
  labelNames: ["outcome"],
} as const;

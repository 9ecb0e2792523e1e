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

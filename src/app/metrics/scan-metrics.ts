/** Outcome of a scan: `scanned`; `deleted`: the mail was deleted; `dropped`: every attempt has failed. */
export type ScanLabel = "scanned" | "deleted" | "dropped";

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

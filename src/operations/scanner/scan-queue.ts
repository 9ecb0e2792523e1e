/** Queue of messages whose links are to be scanned, fair between servers. */
import { decodeMessageId } from "../../core/ids.ts";
import { attemptEach, Lane, type QueueDefinition } from "../../queue/queue-definition.ts";
import type { WorkOutcome, QuarantinedWork } from "../../store/leased-queue.ts";
import type { ClaimedScan } from "../../store/scanner-store.ts";
import type { Context } from "../context.ts";
import { type MessageScanner, type ScanOutcome, decodeScanReport, scanConcurrency } from "./scan-message.ts";
import { findScanner } from "./scanner-settings.ts";
import type { Store } from "../../store/store.ts";
import type { Principal } from "../../core/api-key.ts";
import type { ScanReport } from "../../core/scanner.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { unmadeScan } from "./scan-urls.ts";

/** Result of a claimed scan: `removed`: its server has no scanner any more; `dropped`: every attempt has failed. */
export interface ScanResult extends ClaimedScan {
  readonly outcome: ScanOutcome | "removed" | "postponed" | "dropped";
}

/** Dependencies of {@link scanQueue}. */
interface ScanQueueDependencies extends Pick<Context, "store" | "clock"> {
  readonly scanner: Pick<MessageScanner, "scan">;
  /** Called when a claimed scan has ended. */
  readonly onEnded: (result: ScanResult) => void;
}

/** Pauses after failed attempts in milliseconds. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;

/** Returns the definition of the queue. A scan begins after the delay of its scanner. */
export function scanQueue({
  store,
  clock,
  scanner,
  onEnded,
}: ScanQueueDependencies): QueueDefinition<ClaimedScan, WorkOutcome, object, Lane<ClaimedScan>> {
  return {
    queue: store.scanners.queue,
    name: "link_scans",
    degrades: "links of mails are scanned late",
    limits: { runningCountMax: scanConcurrency.countMax, sleepMsMax: 1000 },
    pausesMsMax: [null, ...pausesMs],
    keyOf: ({ id }) => decodeMessageId(id).server,
    openLane: (server) => new Lane(server, scanConcurrency.countPerServerMax),
    attempt: attemptEach(
      {
        clock,
        pausesMs,
        onFailed: (scan, { isDropped }) => onEnded({ ...scan, outcome: isDropped ? "dropped" : "postponed" }),
      },
      async (scan) => {
        const settings = await findScanner(store, decodeMessageId(scan.id).server);
        const outcome = settings === null ? "removed" : await scanner.scan(scan.id, settings);
        onEnded({ ...scan, outcome });
        return outcome === "stopped" ? clock.now() : null;
      },
    ),
  };
}

/**
 * Stores a report for each message whose scan was quarantined, unless it has one; a scan that is retried replaces it. Rejects
 * as the store does.
 */
export async function reportQuarantinedScans(
  store: Store,
  works: readonly Pick<QuarantinedWork, "queue" | "message" | "quarantinedAt">[],
): Promise<void> {
  for (const { queue, message, quarantinedAt } of works) {
    if (queue !== "scans" || message === null) continue;
    const settings = await findScanner(store, decodeMessageId(message).server);
    // Without a scanner its scans are removed; a report is there when the process ended between the report and the outcome.
    if (settings === null || (await store.annotations.getAnnotation(message, "scan")) !== undefined) continue;
    const report = unmadeScan({ profile: settings.profile, when: "after", result: "quarantined" }, quarantinedAt);
    await store.annotations.putAnnotation(message, { kind: "scan", json: JSON.stringify(report) });
  }
}

/** Returns the scan of a message. Rejects with `not_found` when there is no such message, or it was not scanned. */
export async function getScan({ store }: Context, principal: Principal, idText: string): Promise<ScanReport> {
  const id = openMessageId(principal, idText);
  return decodeScanReport(orNotFound(await store.annotations.getAnnotation(id, "scan"), "Scan"));
}

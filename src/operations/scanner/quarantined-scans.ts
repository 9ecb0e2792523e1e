import type { Store } from "../../store/store.ts";
import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { ScanReport } from "../../core/scanner.ts";
import type { QuarantinedWork } from "../../store/leased-queue.ts";
import type { Context } from "../context.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { decodeScanReport } from "./scan-message.ts";
import { unmadeScan } from "./scan-urls.ts";
import { findScanner } from "./scanner-settings.ts";

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

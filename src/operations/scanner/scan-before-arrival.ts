/** Scans of mails before they arrive. */
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { ScannerSettings } from "../../core/scanner.ts";
import type { Annotation } from "../../store/annotation-store.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { NewMessage, Store } from "../../store/store.ts";
import { behaviourOf } from "./profiles.ts";
import type { MessageScanner } from "./scan-message.ts";
import { findScanner } from "./scanner-settings.ts";

/** Scanners of the servers of a mail that work before it becomes visible. */
export type EarlyScanners = ReadonlyMap<ServerId, ScannerSettings>;

/** Returns those of the servers. */
export async function findEarlyScanners(
  context: { readonly store: Pick<Store, "scanners"> },
  servers: readonly ServerId[],
): Promise<EarlyScanners> {
  const scanners = new Map<ServerId, ScannerSettings>();
  for (const server of servers) {
    const settings = await findScanner(context, server);
    if (settings !== null && behaviourOf(settings).when === "before") scanners.set(server, settings);
  }
  return scanners;
}

/** Reports of the scans of a mail, by server. */
export type EarlyScans = ReadonlyMap<ServerId, Annotation>;

/**
 * Scans a mail for each server. Returns the reports; "stopped" when the service shuts down, "deleted" when the mail was
 * deleted or cancelled meanwhile. Rejects as `MessageScanner.scanHeld` does.
 */
export async function scanBeforeArrival(
  scanner: Pick<MessageScanner, "scanHeld">,
  { id, rawBytes }: Pick<ScheduledMessage, "id" | "rawBytes">,
  scanners: EarlyScanners,
): Promise<EarlyScans | "stopped" | "deleted"> {
  const reports = await Promise.all(
    Array.from(scanners, async ([server, settings]) => {
      return { server, report: await scanner.scanHeld({ id, server, rawBytes }, settings) };
    }),
  );
  const scans = new Map<ServerId, Annotation>();
  for (const { server, report } of reports) {
    if (report === "stopped") return "stopped";
    if (report === undefined) return "deleted";
    scans.set(server, { kind: "scan", json: JSON.stringify(report) });
  }
  return scans;
}

/** Returns a record with the report of its scan. */
export function withScan(record: NewMessage, scans: EarlyScans): NewMessage {
  const scan = scans.get(decodeMessageId(record.id).server);
  return scan === undefined ? record : { ...record, annotations: [...(record.annotations ?? []), scan] };
}

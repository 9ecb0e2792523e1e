/** Scans of mails before they arrive. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { ScannerSettings } from "../../core/scanner.ts";
import type { Annotation } from "../../store/mark-store.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { NewMessage, Store } from "../../store/store.ts";
import type { MessageScanner } from "./scan-message.ts";
import { behaviourOf, findScanner } from "./scanner-settings.ts";

/** Scanners of the servers of a mail that work before it becomes visible. */
export type EarlyScanners = ReadonlyMap<ServerId, ScannerSettings>;

/** Returns those of the servers. */
export async function findEarlyScanners(
  store: Pick<Store, "scanners">,
  servers: readonly ServerId[],
): Promise<EarlyScanners> {
  const scanners = new Map<ServerId, ScannerSettings>();
  for (const server of servers) {
    const settings = await findScanner(store, server);
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

// Delays of mails that are held, by fault rules or for scanners that work before a mail becomes visible.

/** Delays of the copies of a mail. */
export interface HoldDelays {
  /** Milliseconds for which the copies of servers are held; those of other servers are stored at once. */
  readonly delays: ReadonlyMap<ServerId, number>;
  /** Servers among them that only a scanner delays: see {@link unlessTooMany}. */
  readonly onlyScanned: ReadonlySet<ServerId>;
}

/** Adds scanner delays, for each server that receives the mail, to the delays of fault rules (`late`). */
export async function holdDelays(
  store: Pick<Store, "scanners">,
  servers: readonly ServerId[],
  late: ReadonlyMap<ServerId, number>,
): Promise<HoldDelays> {
  let held = late.size === 0 ? null : { delays: new Map(late), onlyScanned: new Set<ServerId>() };
  for (const server of servers) {
    const found = findScanner(store, server);
    const settings = found instanceof Promise ? await found : found;
    const scanner = settings === null ? null : behaviourOf(settings);
    if (scanner?.when !== "before") continue;
    held ??= { delays: new Map(), onlyScanned: new Set() };
    if (!late.has(server)) held.onlyScanned.add(server);
    held.delays.set(server, Math.max(late.get(server) ?? 0, scanner.delayMs));
  }
  return held ?? none;
}

const none: HoldDelays = { delays: new Map(), onlyScanned: new Set() };

/**
 * Returns what `holding` resolves with; null when the server holds too many messages to hold one more and only its scanner
 * delays the mail, which is then stored at once and scanned afterwards, because a scanner must not make mail fail.
 */
export async function unlessTooMany<Result>(
  holding: Promise<Result>,
  { onlyScanned }: HoldDelays,
  server: ServerId,
): Promise<Result | null> {
  return holding.catch((error: unknown) => {
    const isTooMany = error instanceof Problem && error.code === "limit_reached";
    if (isTooMany && onlyScanned.has(server)) return null;
    throw error;
  });
}

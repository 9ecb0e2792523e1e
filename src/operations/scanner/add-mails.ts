/** Storage of mails that arrive, with the scans of their links. */
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { ScannerSettings } from "../../core/scanner.ts";
import type { NewScan } from "../../store/scanner-store.ts";
import type { InsertOptions, InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { tagRecords } from "../tags/tag-records.ts";
import { behaviourOf } from "./profiles.ts";
import { findScanner } from "./scanner-settings.ts";

/** Dependencies of {@link addMails}. */
export type AddMailContext = Pick<Context, "store" | "clock" | "events" | "wakeScans">;

/**
 * Stores mails as `addMessages` does, with the tags that the settings of their servers add. Received ones of servers with a scanner are queued for their scan in the same
 * transaction, unless they have been scanned before. Where their servers have no subscribers, the store may release their
 * search bodies, so that the mails are built anew to be stored again.
 */
export async function addMails(
  context: AddMailContext,
  arriving: readonly NewMessage[],
  options: InsertOptions,
): Promise<readonly InsertOutcome[]> {
  const records = await tagRecords(context, arriving);
  const scans: NewScan[] = [];
  let releasesBodies = true;
  for (const record of records) {
    const { server, direction } = decodeMessageId(record.id);
    if (context.events.hasListeners(server)) releasesBodies = false;
    const delay = direction === "Received" && !isScanned(record) ? scanDelayOf(context, server) : null;
    const delayMs = delay instanceof Promise ? await delay : delay;
    if (delayMs !== null) scans.push({ message: record.id, dueAt: context.clock.now() + delayMs });
  }
  if (scans.length === 0) return context.store.addMessages(records, { ...options, releasesBodies });
  const outcomes = await context.store.addMessages(records, { ...options, releasesBodies, scans });
  context.wakeScans();
  return outcomes;
}

function isScanned({ annotations }: NewMessage): boolean {
  return annotations?.some(({ kind }) => kind === "scan") === true;
}

function scanDelayOf(context: AddMailContext, server: ServerId): number | null | Promise<number | null> {
  const found = findScanner(context, server);
  return found instanceof Promise ? found.then(delayOf) : delayOf(found);
}

function delayOf(scanner: ScannerSettings | null): number | null {
  return scanner === null ? null : behaviourOf(scanner).delayMs;
}

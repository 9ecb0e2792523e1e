/** Storage of mails that arrive, with the scans of their links. */
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { NewScan } from "../../store/scanner-store.ts";
import type { InsertOptions, InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { tagRecords } from "../tags/tag-records.ts";
import { behaviourOf } from "./profiles.ts";
import { findScanner } from "./scanner-settings.ts";

/** Dependencies of {@link addMails}. */
export type AddMailContext = Pick<Context, "store" | "clock" | "wakeScans">;

/**
 * Stores mails as `addMessages` does, with the tags that the settings of their servers add. Received ones of servers with a scanner are queued for their scan in the same
 * transaction, unless they have been scanned before.
 */
export async function addMails(
  context: AddMailContext,
  arriving: readonly NewMessage[],
  options: InsertOptions,
): Promise<readonly InsertOutcome[]> {
  const records = await tagRecords(context, arriving);
  const scans = await scansOf(context, records);
  if (scans.length === 0) return context.store.addMessages(records, options);
  const outcomes = await context.store.addMessages(records, { ...options, scans });
  context.wakeScans();
  return outcomes;
}

async function scansOf(context: AddMailContext, records: readonly NewMessage[]): Promise<readonly NewScan[]> {
  const delays = new Map<ServerId, number | null>();
  const scans: NewScan[] = [];
  for (const { id, annotations = [] } of records) {
    const { server, direction } = decodeMessageId(id);
    if (direction !== "Received" || annotations.some(({ kind }) => kind === "scan")) continue;
    if (!delays.has(server)) delays.set(server, await delayOf(context, server));
    const delayMs = delays.get(server) ?? null;
    if (delayMs !== null) scans.push({ message: id, dueAt: context.clock.now() + delayMs });
  }
  return scans;
}

async function delayOf(context: AddMailContext, server: ServerId): Promise<number | null> {
  const scanner = await findScanner(context, server);
  return scanner === null ? null : behaviourOf(scanner).delayMs;
}

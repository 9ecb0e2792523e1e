/** The way by which operations store messages, whatever brought them. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { ScannerSettings } from "../../core/scanner.ts";
import type { NewScan } from "../../store/scanner-store.ts";
import type { InsertOptions, InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { behaviourOf, findScanner } from "../scanner/scanner-settings.ts";
import { announce } from "../services/events/announce.ts";
import { tagRecords } from "../tags/tag-records.ts";

/** Dependencies of {@link storeMessages}. */
export type StoringContext = Pick<Context, "store" | "clock" | "events" | "quotas" | "wakeScans">;

/** Messages to store. */
export interface MessageBatch {
  readonly records: readonly NewMessage[];
  /** Entries that are stored in the same transaction. */
  readonly options?: InsertOptions;
}

/** Batch that was stored, except for messages of servers that do not exist. */
export interface StoredBatch<Batch extends MessageBatch> {
  readonly batch: Batch;
  /** Outcomes of the records, in their order: `stored` or `no_server`. */
  readonly outcomes: readonly InsertOutcome[];
  /** Records that were stored. */
  readonly stored: readonly NewMessage[];
}

/**
 * Stores messages in one transaction, with the tags that the settings of their servers add and the scans of received mails whose
 * servers have a scanner, unless they have been scanned before; then publishes them to waiters and streams. `build` makes the
 * records, and makes them again with new ids when an id is taken; what it reads is released meanwhile, because many mails wait
 * for one commit. Rejects as `addMessages` of the store does.
 */
export async function storeMessages<Batch extends MessageBatch>(
  context: StoringContext,
  build: () => Batch | Promise<Batch>,
): Promise<StoredBatch<Batch>> {
  for (;;) {
    const batch = await build();
    const { records } = batch;
    if (records.length === 0) return { batch, outcomes: [], stored: [] };
    const outcomes = await addRecords(context, batch);
    if (outcomes.some(({ outcome }) => outcome === "collision")) continue;
    announce(context, records, outcomes);
    return { batch, outcomes, stored: records.filter((_, position) => outcomes[position]?.outcome === "stored") };
  }
}

/** Lets the store release search bodies where the servers have no subscribers: records are built anew to be stored again. */
async function addRecords(context: StoringContext, batch: MessageBatch): Promise<readonly InsertOutcome[]> {
  const records = await tagRecords(context, batch.records);
  const scans: NewScan[] = [];
  let releasesBodies = true;
  for (const record of records) {
    if (context.events.hasListeners(serverOf(record))) releasesBodies = false;
    const delay = isUnscanned(record) ? scanDelayOf(context, serverOf(record)) : null;
    const delayMs = delay instanceof Promise ? await delay : delay;
    if (delayMs !== null) scans.push({ message: record.id, dueAt: context.clock.now() + delayMs });
  }
  const options = { ...batch.options, releasesBodies, ...(scans.length > 0 && { scans }) };
  const outcomes = await context.store.addMessages(records, options).catch((error: unknown) => {
    const isFull = error instanceof Problem && error.code === "quota_exceeded";
    if (isFull) context.quotas.suspect([...new Set(records.map(serverOf))]);
    throw error;
  });
  if (scans.length > 0) context.wakeScans();
  return outcomes;
}

function serverOf({ id }: NewMessage): ServerId {
  return decodeMessageId(id).server;
}

/** Returns whether a record is a received mail, as opposed to an SMS, without the report of a scan. */
function isUnscanned({ id, raw, annotations }: NewMessage): boolean {
  const isMail = raw.length > 0 && decodeMessageId(id).direction === "Received";
  return isMail && annotations?.some(({ kind }) => kind === "scan") !== true;
}

function scanDelayOf(context: StoringContext, server: ServerId): number | null | Promise<number | null> {
  const found = findScanner(context, server);
  return found instanceof Promise ? found.then(delayOf) : delayOf(found);
}

function delayOf(scanner: ScannerSettings | null): number | null {
  return scanner === null ? null : behaviourOf(scanner).delayMs;
}

import type { ServerId } from "../../../core/ids.ts";
import type { InsertOptions, InsertOutcome } from "../../store.ts";
import { uuidArray } from "../connection/arrays.ts";
import { readPart } from "../../content/content-store.ts";
import { contentIn } from "../content/content-source.ts";
import { writeChunks } from "../content/content.ts";
import type { Session } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { serverIdOf, serverNumberOf, slotOf } from "./id-slots.ts";
import { hasChunks } from "./incoming.ts";
import type { Incoming } from "./incoming.ts";
import type { Inserted } from "./insert.ts";
import { addCompanions, requireQuotas, type PlacedMessage } from "../../records/message-companions.ts";
import { recordRows } from "../account/records.ts";
import type { ServerQuota } from "../../../core/server.ts";
import type { ExternalContent } from "../content/external-content.ts";
import { lockServer } from "../account/servers.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import { compressAsync } from "../../compression.ts";

/** Transaction, and the function that inserts messages of one server in it. */
export interface Storing {
  readonly session: Session;
  /** External storage of existing messages; null without one. */
  readonly outside: ExternalContent | null;
  /** Quota of servers without one of their own. */
  readonly quota: ServerQuota;
  readonly insert: (session: Session, messages: readonly Incoming[]) => Promise<Inserted | undefined>;
}

interface PresentRow {
  readonly id: string;
  readonly slot: string;
  readonly sequence: number;
  readonly summary: string;
}

/** Planned outcome of inserting one message. */
type PlannedOutcome = InsertOutcome | { readonly outcome: "fresh" };
type Positions = ReadonlyMap<ServerId, ServerPosition | undefined>;

/**
 * Stores the messages of one call with its options. When one collides, none is stored: all new ones are reported as
 * `collision`. Throws `quota_exceeded` when a server is over its quota. Locks the rows of the servers first, so that
 * the state it reads cannot change.
 */
export async function storeCall(
  { session, insert, outside, quota }: Storing,
  messages: readonly Incoming[],
  insertOptions: InsertOptions,
): Promise<readonly InsertOutcome[]> {
  const { repeatable = null, ignoresQuota = false } = insertOptions;
  const positions = await lockAll(session, messages);
  if (repeatable !== null) await runOn(session, recordRows.idempotency.requireUnrepeated(repeatable));
  const planned = await planInserts({ session, outside }, messages, positions);
  await touchRepeated(session, messages, planned);
  if (planned.some(({ outcome }) => outcome === "collision")) {
    return planned.map((fate) => (fate.outcome === "fresh" ? { outcome: "collision" } : fate));
  }
  const fresh = messages.filter((_, index) => isFresh(planned[index]));
  if (!ignoresQuota) {
    const rows = { scheduled: new ScheduledRows(postgresDialect, quota) };
    await runOn(
      session,
      requireQuotas(
        rows,
        fresh.flatMap((message) => placed(message, positions)),
      ),
    );
  }
  const sequences = await insertFresh({ session, insert }, messages, planned);
  await addAnnotations(session, fresh);
  const outcomes = planned.map((fate, index): InsertOutcome => {
    if (fate.outcome !== "fresh") return fate;
    const sequence = sequences.get(index);
    if (sequence === undefined) throw new Error("a server vanished within a transaction");
    return { outcome: "stored", sequence };
  });
  for (const [index, { server, message }] of messages.entries()) {
    const [place, sequence] = [positions.get(server), sequences.get(index)];
    const { id, marks } = message;
    if (marks === undefined || place === undefined || sequence === undefined) continue;
    await runOn(session, recordRows.marks.put(place, sequence, [{ id, marks }]));
  }
  const stored = messages.filter((_, index) => outcomes[index]?.outcome === "stored").map(({ message }) => message.id);
  await runOn(session, addCompanions(recordRows, new Set(stored), insertOptions));
  return outcomes;
}

function placed({ server, bytes, message }: Incoming, positions: Positions): readonly PlacedMessage[] {
  const position = positions.get(server);
  return position === undefined ? [] : [{ server, position, bytes, annotations: message.annotations ?? [] }];
}

async function lockAll(session: Session, messages: readonly Incoming[]): Promise<Positions> {
  const numbers = [...new Set(messages.map(({ serverNumber }) => serverNumber))].toSorted((a, b) => a - b);
  const positions = new Map<ServerId, ServerPosition | undefined>();
  for (const number of numbers) positions.set(serverIdOf(number), await lockServer(session, serverIdOf(number)));
  return positions;
}

async function planInserts(
  source: Pick<Storing, "session" | "outside">,
  messages: readonly Incoming[],
  positions: Positions,
): Promise<readonly PlannedOutcome[]> {
  const present = new Map<string, PresentRow>();
  for (const [server, position] of positions) {
    if (position === undefined) continue;
    const own = messages.filter((message) => message.server === server);
    for (const row of await findPresent(source.session, own, position)) present.set(row.slot, row);
  }
  const claimed = new Set<string>();
  const planned: PlannedOutcome[] = [];
  for (const message of messages) {
    const position = positions.get(message.server);
    const slot = slotOf(message.message.id);
    const found = present.get(slot);
    if (position === undefined) planned.push({ outcome: "no_server" });
    else if (claimed.has(slot)) planned.push({ outcome: "collision" });
    else if (found === undefined) planned.push({ outcome: "fresh" });
    else planned.push(await compare(source, message, found));
    claimed.add(slot);
  }
  return planned;
}

async function findPresent(
  session: Session,
  messages: readonly Incoming[],
  { epoch }: ServerPosition,
): Promise<readonly PresentRow[]> {
  return await session.query<PresentRow>(
    `select id, slot, sequence, summary from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[])`,
    [messages[0]?.serverNumber, epoch, uuidArray(messages.map(({ slot }) => slot))],
  );
}

/** Compares an existing message with the new one. */
async function compare(
  { session, outside }: Pick<Storing, "session" | "outside">,
  { message }: Incoming,
  found: PresentRow,
): Promise<InsertOutcome> {
  const isSameSummary = Buffer.from(found.summary).equals(message.summaryJson);
  if (found.id !== message.id || !isSameSummary) return { outcome: "collision" };
  const raw = await readPart(contentIn(session, outside), message.id, "raw");
  const isSame = raw !== undefined && Buffer.compare(raw, message.raw) === 0;
  return isSame ? { outcome: "stored", sequence: found.sequence } : { outcome: "collision" };
}

/**
 * Writes to the servers of messages that exist already. A transaction without writes does not wait for standbys, but
 * the earlier commit of these messages may still be waiting for one, so that reporting them as stored needs a later
 * write.
 */
async function touchRepeated(
  session: Session,
  messages: readonly Incoming[],
  planned: readonly PlannedOutcome[],
): Promise<void> {
  const servers = messages
    .filter((_, index) => planned[index]?.outcome === "stored")
    .map(({ serverNumber }) => serverNumber);
  for (const server of new Set(servers)) {
    await session.query("update server set sequence = sequence where server_id = $1", [server]);
  }
}

/** Inserts new messages; returns their sequence numbers by their index in the call. */
async function insertFresh(
  { session, insert }: Pick<Storing, "session" | "insert">,
  messages: readonly Incoming[],
  planned: readonly PlannedOutcome[],
): Promise<ReadonlyMap<number, number>> {
  const sequences = new Map<number, number>();
  const fresh = messages.map((message, index) => ({ message, index })).filter(({ index }) => isFresh(planned[index]));
  for (const server of new Set(fresh.map(({ message }) => message.server))) {
    const own = fresh.filter(({ message }) => message.server === server);
    const inserted = await insert(
      session,
      own.map(({ message }) => message),
    );
    if (inserted === undefined) continue;
    for (const [position, { message, index }] of own.entries()) {
      sequences.set(index, inserted.base + position + 1);
      if (!hasChunks(message)) continue;
      const owner = { server: serverNumberOf(server), epoch: inserted.epoch, slot: slotOf(message.message.id) };
      await writeChunks(session, owner, message.content);
    }
  }
  return sequences;
}

function isFresh(fate: PlannedOutcome | undefined): boolean {
  return fate?.outcome === "fresh";
}

async function addAnnotations(session: Session, fresh: readonly Incoming[]): Promise<void> {
  for (const { message } of fresh) {
    for (const { kind, json } of message.annotations ?? []) {
      const compressed = await compressAsync(Buffer.from(json));
      await runOn(session, recordRows.annotations.putAnnotation(message.id, { kind, ...compressed }));
    }
  }
}

/** Compares a restored database with the one that was backed up, even while nodes use that. */
import type { MessageId } from "../../../core/ids.ts";
import {
  type ComparedCounts,
  namedCountMax,
  samplePerServer,
  type ServerComparison,
  uncompared,
} from "../../server-comparison.ts";
import { type Database, openDatabase, type Session } from "../connection/database.ts";
import { newerSchemaError } from "../../schema/shared-tables.ts";
import { readSchema, schemaVersion } from "../schema/schema.ts";
import { uuidArray } from "../connection/parameters.ts";
import { serverIdOf } from "../messages/id-slots.ts";

/** Databases to compare, by their URLs. */
export interface ComparedDatabases {
  readonly source: string;
  readonly restored: string;
  /** Number of messages, over all servers, whose contents are compared; one for each server at least. */
  readonly sampleCount: number;
}

interface ServerRow {
  readonly number: number;
  readonly epoch: number;
  readonly sequence: number;
  readonly uidValidity: number;
  readonly count: number;
}

interface MessageRow {
  readonly slot: string;
  readonly id: MessageId;
  readonly sequence: number;
  readonly hash: string;
}

/** Longest time of a statement; the snapshot of the source lasts as long as the comparison. */
const statementMsMax = 60 * 60_000;
const pageCount = 2000;

/**
 * Compares all messages by id, change number and summary, in one snapshot of the source, and the stored contents of the newest
 * ones; in order of server ids. Change numbers tell what the source has changed since the backup, so that it may go on
 * meanwhile. Content in a bucket is compared by its name. Rejects with a plain `Error` for the operator when a database has
 * another schema.
 */
export async function compareDatabases(databases: ComparedDatabases): Promise<readonly ServerComparison[]> {
  const options = { connectionCountMax: 1, statementMsMax };
  await using opened = new AsyncDisposableStack();
  const open = (url: string): Database => opened.adopt(openDatabase(url, options), (database) => database.close());
  const [source, restored] = [open(databases.source), open(databases.restored)];
  return await source.read("", async (before) =>
    restored.read("", async (after) => compareSessions({ before, after }, databases.sampleCount)),
  );
}

interface Sessions {
  /** Source, which was backed up. */
  readonly before: Session;
  readonly after: Session;
}

async function compareSessions(sessions: Sessions, sampleCount: number): Promise<readonly ServerComparison[]> {
  for (const session of [sessions.before, sessions.after]) await requireCurrentSchema(session);
  const [sources, copies] = [await serversOf(sessions.before), await serversOf(sessions.after)];
  const numbers = [...new Set([...sources.keys(), ...copies.keys()])].toSorted((a, b) => a - b);
  const perServer = samplePerServer(sampleCount, numbers.length);
  const comparisons: ServerComparison[] = [];
  for (const number of numbers) {
    const [source, copy] = [sources.get(number), copies.get(number)];
    const counts = { server: serverIdOf(number), restoredCount: copy?.count ?? 0, sourceCount: source?.count ?? 0 };
    const isSame = source !== undefined && copy !== undefined && isSameServer(source, copy);
    const compared = isSame ? await compareServer(sessions, { source, copy, sampleCount: perServer }) : uncompared;
    comparisons.push({ ...counts, ...compared, state: isSame ? "compared" : stateOf(source, copy) });
  }
  return comparisons;
}

/** Rejects with a plain `Error` for the operator when the tables are those of another version. */
export async function requireCurrentSchema(session: Session): Promise<void> {
  const found = await readSchema(session);
  if (found === undefined) throw new Error("The database has no tables of restante");
  if (found.version > schemaVersion) throw newerSchemaError({ ...found, supported: schemaVersion });
  if (found.version < schemaVersion) {
    throw new Error(
      `The database has schema version ${found.version}: run restante migrate first, for version ${schemaVersion}`,
    );
  }
}

async function serversOf(session: Session): Promise<ReadonlyMap<number, ServerRow>> {
  const rows = await session.query<ServerRow>(
    `/* all servers */ select server_id as number, epoch, sequence, uid_validity as "uidValidity",
       received_count + sent_count as count from server`,
  );
  return new Map(rows.map((row) => [row.number, row]));
}

/** Returns whether both are the same server: its UIDVALIDITY changes only when it is created, and when it is restored for use. */
function isSameServer(source: ServerRow, copy: ServerRow): boolean {
  return source.uidValidity === copy.uidValidity && source.sequence >= copy.sequence;
}

function stateOf(source: ServerRow | undefined, copy: ServerRow | undefined): ServerComparison["state"] {
  if (copy === undefined) return "new";
  return source === undefined ? "removed" : "other";
}

interface ServerPair {
  readonly source: ServerRow;
  readonly copy: ServerRow;
  readonly sampleCount: number;
}

async function compareServer({ before, after }: Sessions, pair: ServerPair): Promise<ComparedCounts> {
  const { source, copy } = pair;
  const counts = { arrivedCount: 0, changedCount: 0, missingCount: 0, differingCount: 0 };
  const named: MessageId[] = [];
  let matchedCount = 0;
  for await (const page of pagesOf(before, source)) {
    const copies = await messagesAt(after, copy, { slots: page, hash: summaryHash });
    matchedCount += copies.size;
    for (const row of page) {
      const kind = kindOf(row, copies.get(row.slot), copy.sequence);
      if (kind === null) continue;
      counts[kind] += 1;
      if ((kind === "missingCount" || kind === "differingCount") && named.length < namedCountMax) named.push(row.id);
    }
  }
  const [total] = await after.query<{ readonly count: number }>(
    "select count(*) as count from message where server_id = $1 and epoch = $2",
    [copy.number, copy.epoch],
  );
  const removedCount = (total?.count ?? 0) - matchedCount;
  const sample = await compareContents({ before, after }, pair);
  const ids = new Set([...named, ...sample.differing]);
  return {
    ...counts,
    removedCount,
    sampledCount: sample.count,
    sampleDifferingCount: sample.differing.length,
    named: [...ids].slice(0, namedCountMax),
  };
}

/** Returns the count that a message of the source belongs to; null for one that is equal in the copy. */
function kindOf(
  row: MessageRow,
  copy: MessageRow | undefined,
  sequence: number,
): "arrivedCount" | "changedCount" | "missingCount" | "differingCount" | null {
  if (row.sequence > sequence) return copy === undefined ? "arrivedCount" : "changedCount";
  if (copy === undefined) return "missingCount";
  return copy.id === row.id && copy.sequence === row.sequence && copy.hash === row.hash ? null : "differingCount";
}

const hashOf = (bytes: string): string => `encode(sha256(${bytes}), 'hex')`;
const summaryHash = hashOf("convert_to(summary, 'UTF8')");
const rowsWith = (hash: string): string =>
  `select slot::text as slot, id::text as id, sequence, ${hash} as hash from message m where server_id = $1 and epoch = $2`;
const own = "server_id = $1 and epoch = $2 and slot = m.slot";
/** Hash of the parts of a message; of one in a bucket, its name. */
const contentHash = `concat_ws(' ', ${hashOf("detail")}, ${hashOf("raw")}, detail_chunk_count, raw_chunk_count,
  (select string_agg(${hashOf("bytes")}, ',' order by part, number) from chunk where ${own}),
  (select string_agg(part || ':' || name, ',' order by part) from outside where ${own}))`;

/** Yields the messages of a server, by slot. */
async function* pagesOf(session: Session, { number, epoch }: ServerRow): AsyncGenerator<readonly MessageRow[]> {
  for (let last = "00000000-0000-0000-0000-000000000000"; ;) {
    const page = await session.query<MessageRow>(
      `${rowsWith(summaryHash)} and slot > $3::uuid order by slot limit ${pageCount}`,
      [number, epoch, last],
    );
    if (page.length > 0) yield page;
    if (page.length < pageCount) return;
    last = page.at(-1)?.slot ?? last;
  }
}

/** Returns the messages of a server at the slots of others. */
async function messagesAt(
  session: Session,
  { number, epoch }: ServerRow,
  { slots, hash }: { readonly slots: readonly Pick<MessageRow, "slot">[]; readonly hash: string },
): Promise<ReadonlyMap<string, MessageRow>> {
  const bytes = uuidArray(slots.map(({ slot }) => Buffer.from(slot.replaceAll("-", ""), "hex")));
  const rows = await session.query<MessageRow>(`${rowsWith(hash)} and slot = any($3::uuid[])`, [number, epoch, bytes]);
  return new Map(rows.map((row) => [row.slot, row]));
}

/** Compares the contents of the newest messages of the copy that the source still has. */
async function compareContents(
  { before, after }: Sessions,
  { source, copy, sampleCount }: ServerPair,
): Promise<{ readonly count: number; readonly differing: readonly MessageId[] }> {
  const newest = await after.query<MessageRow>(
    `${rowsWith(contentHash)} order by sequence desc limit cast($3 as integer)`,
    [copy.number, copy.epoch, sampleCount],
  );
  let count = 0;
  const differing: MessageId[] = [];
  for (let at = 0; at < newest.length; at += pageCount) {
    const page = newest.slice(at, at + pageCount);
    const present = await messagesAt(before, source, { slots: page, hash: contentHash });
    for (const { slot, id, sequence, hash } of page) {
      const found = present.get(slot);
      if (found?.sequence !== sequence) continue;
      count += 1;
      if (found.hash !== hash) differing.push(id);
    }
  }
  return { count, differing };
}

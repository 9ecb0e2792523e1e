import { randomInt } from "node:crypto";
import { SignatureMaker } from "../../signatures/segment-builder.ts";
import { bigintArray } from "../connection/parameters.ts";
import type { Database, Session } from "../connection/database.ts";
import { type SegmentScope, removeSegment, type TextIndexSettings, writePages } from "./segments.ts";
import { nextBatch, type Batch, type Progress, type ServerState } from "./next-batch.ts";
import { inOrder } from "../messages/pages.ts";
import { buildSegment, writeSegment } from "./segment-writes.ts";
import { PageBatches } from "../../signatures/page-batch.ts";
import { filterPageNumbers, SegmentFilter } from "../../signatures/segment-filter.ts";

/** Versions start at random numbers, so that none is repeated when the tables are emptied by hand. */
const versionEnd = 2 ** 40;
/** Segments without messages that one step deletes. */
const emptySegmentCountMax = 8;

/**
 * Builds the segments of the text index, one per transaction. The transaction locks the server's row of `text_progress`,
 * so that the work of a node that exits is rolled back and free at once. The row of the server itself is locked against
 * deletion only, and only for the commit: mail continues to arrive, and no segment of an emptied server is left.
 */
export class Indexer {
  readonly #database: Database;
  readonly #settings: TextIndexSettings;
  readonly #maker = new SignatureMaker();

  constructor(database: Database, settings: TextIndexSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /**
   * Builds a segment of a server, or merges some. Returns false when the server is indexed, too small, deleted, or locked by
   * another node.
   */
  async advance(server: number): Promise<boolean> {
    await this.#addProgress(server);
    try {
      return await this.#database.transact(async (session) => await this.#step(session, server));
    } catch (error) {
      if (error instanceof EpochEnded) return true;
      throw error;
    }
  }

  /** Adds the row of a server that is large enough, in a transaction of its own, so that no caller waits for it long. */
  async #addProgress(server: number): Promise<void> {
    const [row] = await this.#database.query("select 1 as one from text_progress where server_id = $1", [server]);
    if (row !== undefined) return;
    await this.#database.transact(async (session) => {
      // The lock keeps the server from being deleted and purged meanwhile.
      await session.query("select 1 as one from server where server_id = $1 for key share", [server]);
      const state = await this.#readServer(session, server);
      if (state === undefined) return;
      await session.query(
        `insert into text_progress (server_id, epoch, up_to, version) values ($1, $2, 0, $3)
         on conflict (server_id) do nothing`,
        [server, state.epoch, randomInt(versionEnd)],
      );
    });
  }

  async #step(session: Session, server: number): Promise<boolean> {
    await session.query(inOrder);
    const held = await lockProgress(session, server);
    if (held === undefined) return false;
    const state = await this.#readServer(session, server);
    if (state === undefined) {
      // The purge of a deleted server does not wait for a step that has locked the row.
      await session.query(
        `delete from text_progress where server_id = $1 and not exists (select 1 from server where server_id = $1)`,
        [server],
      );
      return false;
    }
    await removeEmptySegments(session, state);
    // All messages of an epoch are indexed anew.
    const progress = held.epoch === state.epoch ? held : { epoch: state.epoch, upTo: 0 };
    const isMerged = await mergeFilters(session, state, this.#settings.segmentMessageCountMax);
    const batch = await nextBatch(session, { state, progress }, this.#settings);
    if (batch !== undefined) await this.#index(session, state, batch);
    else if (isMerged) await lockEpoch(session, state);
    return isMerged || batch !== undefined;
  }

  async #readServer(session: Session, server: number): Promise<ServerState | undefined> {
    const [row] = await session.query<Omit<ServerState, "server">>(
      `select epoch, sequence, received_count + sent_count as "messageCount" from server where server_id = $1`,
      [server],
    );
    const isLarge = row !== undefined && row.messageCount >= this.#settings.serverMessageCountMin;
    return isLarge ? { server, ...row } : undefined;
  }

  async #index(session: Session, state: ServerState, { messages, replaced, upTo }: Batch): Promise<void> {
    const { segmentMessageCountMax: messageCountMax } = this.#settings;
    const built = await buildSegment(session, state, { messages, messageCountMax, maker: this.#maker });
    const isWhole = built.coveredCount === messages.length;
    if (replaced.length > 0 && !isWhole) await keepApart(session, state, replaced);
    else await writeSegment(session, state, { built, replaced });
    await lockEpoch(session, state);
    await session.query("update text_progress set epoch = $2, up_to = $3, version = version + 1 where server_id = $1", [
      state.server,
      state.epoch,
      upTo(built.coveredCount),
    ]);
  }
}

/** Rolls a step back because its server was emptied or deleted meanwhile. */
class EpochEnded extends Error {}

/** Locks the server against deletion until the commit. Throws when it was emptied or deleted: rows would never be purged. */
async function lockEpoch(session: Session, { server, epoch }: SegmentScope): Promise<void> {
  const [row] = await session.query<{ epoch: number }>("select epoch from server where server_id = $1 for key share", [
    server,
  ]);
  if (row?.epoch !== epoch) throw new EpochEnded();
}

/** Locks the progress of a server; returns undefined when there is none or another node has locked it. */
async function lockProgress(session: Session, server: number): Promise<Progress | undefined> {
  const [row] = await session.query<Progress>(
    `select epoch, up_to as "upTo" from text_progress where server_id = $1 for update skip locked`,
    [server],
  );
  return row;
}

/** Excludes segments from merging: their signatures do not fit into one segment. */
async function keepApart(session: Session, { server, epoch }: SegmentScope, numbers: readonly number[]): Promise<void> {
  await session.query(
    "update text_segment set is_full = true where server_id = $1 and epoch = $2 and number = any($3::int8[])",
    [server, epoch, bigintArray(numbers)],
  );
}

/** Deletes some segments all of whose messages were deleted. */
async function removeEmptySegments(session: Session, scope: SegmentScope): Promise<void> {
  const isEmpty = (name: string): string => `not exists (
    select 1 from message where server_id = $1 and (epoch, slot) >= ($2, s.${name}_first) and (epoch, slot) <= ($2, s.${name}_last))`;
  const empty = await session.query<{ number: number }>(
    `select number from text_segment s where server_id = $1 and epoch = $2
       and (received_first is null or ${isEmpty("received")}) and (sent_first is null or ${isEmpty("sent")})
     limit ${emptySegmentCountMax}`,
    [scope.server, scope.epoch],
  );
  for (const { number } of empty) await removeSegment(session, scope, number);
  if (empty.length === 0) return;
  await session.query("update text_progress set version = version + 1 where server_id = $1", [scope.server]);
}

/** Segments whose filters of subjects are merged; with many more, a merged filter would exclude few terms. */
const segmentCountPerFilter = 16;

/**
 * Merges the filters of subjects of the oldest segments that have none in common yet, so that a search in a large server reads
 * one filter for many segments. Small segments are left out, because they will be replaced. Returns false when too few are left.
 */
async function mergeFilters(session: Session, scope: SegmentScope, segmentMessageCountMax: number): Promise<boolean> {
  const of = [scope.server, scope.epoch];
  const rows = await session.query<{ number: number }>(
    `select number from text_segment
     where server_id = $1 and epoch = $2 and merged_filter is null and (is_full or size * 2 > $3)
     order by number limit ${segmentCountPerFilter}`,
    [...of, segmentMessageCountMax],
  );
  const [oldest] = rows;
  if (oldest === undefined || rows.length < segmentCountPerFilter) return false;
  const filter = new SegmentFilter("subject");
  for (const { number } of rows) await addFilter(session, scope, { filter, number });
  const batches = new PageBatches();
  for (const page of filter.pages()) if (page !== undefined) batches.add(page);
  for (const batch of batches.takeAll()) await writePages(session, { ...scope, number: -oldest.number }, batch);
  const numbers = bigintArray(rows.map(({ number }) => number));
  await session.query(
    "update text_segment set merged_filter = $3 where server_id = $1 and epoch = $2 and number = any($4::int8[])",
    [...of, oldest.number, numbers],
  );
  await session.query("update text_progress set version = version + 1 where server_id = $1", [scope.server]);
  return true;
}

/** Adds the filter of one segment. */
async function addFilter(
  session: Session,
  { server, epoch }: SegmentScope,
  { filter, number }: { readonly filter: SegmentFilter; readonly number: number },
): Promise<void> {
  const { first, end } = filterPageNumbers("subject");
  const rows = await session.query<{ number: number; bytes: Uint8Array }>(
    `select number, bytes from text_page
     where server_id = $1 and epoch = $2 and segment = $3 and number >= $4 and number < $5`,
    [server, epoch, number, first, end],
  );
  const pages = new Map(rows.map((row) => [row.number, row.bytes]));
  filter.addAll({ numbers: () => [...pages.keys()], read: (page) => pages.get(page) });
}

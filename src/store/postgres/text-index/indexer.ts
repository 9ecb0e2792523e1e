import { randomInt } from "node:crypto";
import type { MessageId } from "../../../core/ids.ts";
import { SignatureMaker } from "../../signatures/signature.ts";
import { bigintArray, uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { bytesOf } from "../messages/id-slots.ts";
import { readSlots, slotBytes, type SegmentScope } from "./segments.ts";
import { mergeFilters } from "./merged-filters.ts";
import { removeSegment } from "./segment-pages.ts";
import { buildSegment, writeSegment, type IndexedMessage } from "./segment-writes.ts";
import type { TextIndexSettings } from "./text-index-settings.ts";

const noSlot = "00000000-0000-0000-0000-000000000000";
const lastSlot = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** Versions start at random numbers, so that none is repeated when the tables are emptied by hand. */
const versionEnd = 2 ** 40;
/** Segments without messages that one step deletes. */
const emptySegmentCountMax = 8;

/** Server to be indexed. */
interface ServerState extends SegmentScope {
  readonly sequence: number;
  readonly messageCount: number;
}

/** Row of `text_progress`. */
interface Progress {
  readonly epoch: number;
  readonly upTo: number;
  readonly walkTo: number | null;
  readonly walkSlot: string;
  readonly walkCount: number;
}

/** Messages to be indexed by one step. */
interface Batch {
  readonly messages: readonly IndexedMessage[];
  /** Segments that contain them already. */
  readonly replaced: readonly number[];
  /** Returns the progress when the first `count` of the messages are in the new segment. */
  readonly after: (count: number) => Progress;
}

interface SmallSegment {
  readonly number: number;
  readonly size: number;
}

/** Planner settings: messages are read along the primary key. */
const alongIndex =
  "set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off; set local jit = off";

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
      const { epoch, sequence, messageCount } = state;
      await session.query(
        `insert into text_progress (server_id, epoch, up_to, walk_to, walk_slot, walk_count, version)
         values ($1, $2, 0, $3, $4, $5, $6) on conflict (server_id) do nothing`,
        [server, epoch, sequence, noSlot, messageCount, randomInt(versionEnd)],
      );
    });
  }

  async #step(session: Session, server: number): Promise<boolean> {
    await session.query(alongIndex);
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
    const progress = held.epoch === state.epoch ? held : startOf(state);
    const isMerged = await mergeFilters(session, state, this.#settings.segmentMessageCountMax);
    const batch = await this.#choose(session, state, progress);
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

  /** Returns the next messages to index; new ones come before merges where there are enough for a whole segment. */
  async #choose(session: Session, state: ServerState, progress: Progress): Promise<Batch | undefined> {
    const { segmentMessageCountMax: messageCountMax, newMessageCountMin } = this.#settings;
    if (progress.walkTo !== null) return await walk(session, { state, progress, messageCountMax });
    const newCount = state.sequence - progress.upTo;
    const small = newCount >= messageCountMax ? [] : await chooseSmall(session, state, messageCountMax);
    if (small.length > 0) return await rebuild(session, { state, progress, small });
    return newCount < newMessageCountMin ? undefined : await follow(session, { state, progress, messageCountMax });
  }

  async #index(session: Session, state: ServerState, { messages, replaced, after }: Batch): Promise<void> {
    const { segmentMessageCountMax: messageCountMax } = this.#settings;
    const built = await buildSegment(session, state, { messages, messageCountMax, maker: this.#maker });
    const isWhole = built.coveredCount === messages.length;
    if (replaced.length > 0 && !isWhole) await keepApart(session, state, replaced);
    else await writeSegment(session, state, { built, replaced });
    await lockEpoch(session, state);
    const { epoch, upTo, walkTo, walkSlot, walkCount } = after(built.coveredCount);
    await session.query(
      `update text_progress set epoch = $2, up_to = $3, walk_to = $4, walk_slot = $5, walk_count = $6,
         version = version + 1
       where server_id = $1`,
      [state.server, epoch, upTo, walkTo, walkSlot, walkCount],
    );
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
    `select epoch, up_to as "upTo", walk_to as "walkTo", walk_slot as "walkSlot", walk_count as "walkCount"
     from text_progress where server_id = $1 for update skip locked`,
    [server],
  );
  return row;
}

/** Returns the progress before the first step of an epoch: all its messages are to be walked. */
function startOf({ epoch, sequence, messageCount }: ServerState): Progress {
  return { epoch, upTo: 0, walkTo: sequence, walkSlot: noSlot, walkCount: messageCount };
}

interface Choosing {
  readonly state: ServerState;
  readonly progress: Progress;
  readonly messageCountMax: number;
}

/** Returns the next messages by slot that are not in a segment. */
async function walk(session: Session, { state, progress, messageCountMax }: Choosing): Promise<Batch> {
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, octet_length(subject) + octet_length(body) as size from message
     where server_id = $1 and (epoch, slot) > ($2, $3) and (epoch, slot) <= ($2, $4) and sequence > $5 and sequence <= $6
     order by epoch, slot limit $7`,
    [state.server, state.epoch, progress.walkSlot, lastSlot, progress.upTo, progress.walkTo, messageCountMax],
  );
  const isEnd = messages.length < messageCountMax;
  const after = (count: number): Progress => {
    if (isEnd && count === messages.length) {
      return { ...progress, upTo: progress.walkTo ?? progress.upTo, walkTo: null, walkSlot: noSlot, walkCount: 0 };
    }
    const walkSlot = messages[count - 1]?.slot ?? progress.walkSlot;
    return { ...progress, walkSlot, walkCount: Math.max(1, progress.walkCount - count) };
  };
  return { messages, replaced: [], after };
}

/** Returns the next messages by their numbers in the journal; when the journal begins later, they are found by a walk. */
async function follow(session: Session, { state, progress, messageCountMax }: Choosing): Promise<Batch> {
  const changes = await session.query<{ sequence: number; kind: number; id: MessageId | null }>(
    "select sequence, kind, id from change where server_id = $1 and sequence > $2 order by sequence limit $3",
    [state.server, progress.upTo, messageCountMax],
  );
  if (changes[0]?.sequence !== progress.upTo + 1) {
    const walkCount = Math.max(1, Math.min(state.messageCount, state.sequence - progress.upTo));
    const walking = { ...progress, walkTo: state.sequence, walkSlot: noSlot, walkCount };
    return { messages: [], replaced: [], after: () => walking };
  }
  const end = changes.at(-1)?.sequence ?? progress.upTo;
  const slots = changes.flatMap(({ kind, id }) => (kind < 2 && id !== null ? [bytesOf(id).slot] : []));
  // A message that was replaced has a later number, under which it is found again.
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, octet_length(subject) + octet_length(body) as size from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) and sequence <= $4 order by sequence`,
    [state.server, state.epoch, uuidArray(slots), end],
  );
  const after = (count: number): Progress => ({
    ...progress,
    upTo: count === messages.length ? end : (messages[count - 1]?.sequence ?? progress.upTo),
  });
  return { messages, replaced: [], after };
}

/** Returns small segments that are large enough together to be merged. */
async function chooseSmall(
  session: Session,
  state: SegmentScope,
  messageCountMax: number,
): Promise<readonly SmallSegment[]> {
  const small = await session.query<SmallSegment>(
    `select number, size from text_segment where server_id = $1 and epoch = $2 and not is_full and size * 2 <= $3
     order by number`,
    [state.server, state.epoch, messageCountMax],
  );
  const chosen: SmallSegment[] = [];
  let size = 0;
  for (const segment of small) {
    if (size + segment.size > messageCountMax) break;
    chosen.push(segment);
    size += segment.size;
  }
  const isEnough = size * 4 > messageCountMax * 3 || chosen.length < small.length;
  return isEnough && chosen.length > 1 ? chosen : [];
}

/** Returns the messages of small segments, to be merged into one. */
async function rebuild(
  session: Session,
  { state, progress, small }: Pick<Choosing, "state" | "progress"> & { readonly small: readonly SmallSegment[] },
): Promise<Batch> {
  const replaced = small.map(({ number }) => number);
  const members = [...(await readSlots(session, state, replaced)).values()].flatMap((slots) =>
    Array.from({ length: slots.length / slotBytes }, (_, at) => slots.subarray(at * slotBytes, (at + 1) * slotBytes)),
  );
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, octet_length(subject) + octet_length(body) as size from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[])`,
    [state.server, state.epoch, uuidArray(members)],
  );
  return { messages, replaced, after: () => progress };
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

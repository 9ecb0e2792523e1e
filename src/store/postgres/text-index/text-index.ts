import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { MessageId } from "../../../core/ids.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import type { Alphabet } from "./text-index-setup.ts";
import { bytesOf } from "../messages/id-slots.ts";

/** Thresholds of indexing. */
export interface TextIndexSettings {
  /** Servers with fewer messages are not indexed: scanning their texts is fast. */
  readonly serverMessageCountMin: number;
  /** Number of new messages that are indexed together. */
  readonly newMessageCountMin: number;
}

/** Default settings. */
export const textIndexSettings: TextIndexSettings = { serverMessageCountMin: 3000, newMessageCountMin: 200 };

/** Bounds of one step: deletions in that server wait for it. */
const messageCountPerStep = 50;
const textBytesPerStep = 1024 * 1024;

/**
 * Longer bodies are not indexed: computing their trigrams could exceed the statement timeout. Their rows contain an
 * empty text, and searches scan the messages themselves.
 */
const indexedBytesMax = 1024 * 1024;

/** Interval at which a node looks for servers that another node left unfinished. */
const lookMs = 30_000;
const noSlot = "00000000-0000-0000-0000-000000000000";
const lastSlot = "ffffffff-ffff-ffff-ffff-ffffffffffff";

interface ServerState {
  readonly server: number;
  readonly epoch: number;
  readonly sequence: number;
}

interface IndexState {
  readonly epoch: number;
  readonly upTo: number;
  readonly walkTo: number | null;
  readonly walkSlot: string;
}

interface Found {
  readonly slot: string;
  readonly sequence: number;
  readonly size: number;
}

/** Settings of the index of bodies. */
export interface TextIndexParts {
  readonly alphabet: Alphabet;
  readonly settings?: TextIndexSettings;
  /** Messages that one statement of a search scans. */
  readonly sliceMessageCount?: number;
}

/** Dependencies of {@link TextIndex}. */
export interface TextIndexDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: TextIndexSettings;
  readonly tasks: BackgroundTasks;
}

/** Creates the indexer of an index that was set up. */
export function createTextIndex(
  { settings = textIndexSettings }: TextIndexParts,
  dependencies: Omit<TextIndexDependencies, "settings">,
): TextIndex {
  return new TextIndex({ ...dependencies, settings });
}

/** Progress of the index after a step. */
type Progress = Pick<IndexState, "upTo" | "walkTo" | "walkSlot">;

/**
 * Indexes the bodies of large servers in the background, a few messages per transaction. A node locks a server's row of
 * `text_index`, so that the work of a node that exits is rolled back and free at once. The row of the server itself is
 * locked against deletion only: new mail is not blocked, and no deleted message is indexed.
 */
export class TextIndex {
  readonly #database: Database;
  readonly settings: TextIndexSettings;
  readonly #clock: Clock;
  readonly #wanted = new Set<number>();
  readonly #task: BackgroundTask;
  #lookedAt = -Infinity;

  constructor({ database, clock, settings, tasks }: TextIndexDependencies) {
    this.#database = database;
    this.#clock = clock;
    this.settings = settings;
    this.#task = tasks.register("text_index", {
      backlog: () => this.#wanted.size,
      degrades: "searches of bodies are slow on large servers",
    });
  }

  /** Records the sequence number of a server; returns true when there may be messages to index. */
  notice(server: number, { before, after }: { readonly before: number; readonly after: number }): boolean {
    const { serverMessageCountMin, newMessageCountMin } = this.settings;
    const passed = Math.floor(after / newMessageCountMin) * newMessageCountMin;
    if (passed <= before || after < serverMessageCountMin) return false;
    this.#wanted.add(server);
    return true;
  }

  /**
   * Does one short step; returns false when there is nothing to index. A failure is reported, and its server is skipped until
   * the next look, so that other servers are indexed meanwhile.
   */
  async step(): Promise<boolean> {
    try {
      if (this.#wanted.size === 0) await this.#look();
      const [server] = this.#wanted;
      if (server === undefined) return false;
      this.#wanted.delete(server);
      if (await this.#advance(server)) this.#wanted.add(server);
      this.#task.succeeded();
    } catch (error) {
      this.#task.failed(error, lookMs);
    }
    return this.#wanted.size > 0;
  }

  /** Removes the task from the registry. */
  end(): void {
    this.#task.end();
  }

  async #look(): Promise<void> {
    const now = this.#clock.monotonicMs();
    if (Math.abs(now - this.#lookedAt) < lookMs) return;
    this.#lookedAt = now;
    const rows = await this.#database.query<{ server_id: number }>(
      `/* all servers */ select s.server_id
       from server s left join text_index i on i.server_id = s.server_id and i.epoch = s.epoch
       where s.received_count + s.sent_count >= $1
         and (i.server_id is null or i.walk_to is not null or s.sequence - i.up_to >= $2)`,
      [this.settings.serverMessageCountMin, this.settings.newMessageCountMin],
    );
    for (const row of rows) this.#wanted.add(row.server_id);
  }

  /** Returns false when the server is indexed, too small, deleted, or locked by another node. */
  async #advance(server: number): Promise<boolean> {
    // A transaction of its own, so that no caller waits for a row that a hanging node locked.
    await this.#database.query(
      `insert into text_index (server_id, epoch, up_to, walk_to, walk_slot)
       select $1::bigint, epoch, 0, sequence, $2 from server
       where server_id = $1 and received_count + sent_count >= $3
         and not exists (select 1 from text_index where server_id = $1)
       for key share on conflict do nothing`,
      [server, noSlot, this.settings.serverMessageCountMin],
    );
    return await this.#database.transact(async (session) => {
      const state = await this.#holdServer(session, server);
      const index = state === undefined ? undefined : await holdIndex(session, state);
      if (state === undefined || index === undefined) return false;
      const isWalk = index.walkTo !== null;
      if (!isWalk && state.sequence - index.upTo < this.settings.newMessageCountMin) return false;
      const next = isWalk ? await walk(session, state, index) : await follow(session, state, index);
      await session.query("update text_index set up_to = $2, walk_to = $3, walk_slot = $4 where server_id = $1", [
        server,
        next.upTo,
        next.walkTo,
        next.walkSlot,
      ]);
      return true;
    });
  }

  async #holdServer(session: Session, server: number): Promise<ServerState | undefined> {
    const [row] = await session.query<{ epoch: number; sequence: number; messageCount: number }>(
      `select epoch, sequence, received_count + sent_count as "messageCount" from server where server_id = $1
       for key share`,
      [server],
    );
    const isLarge = row !== undefined && row.messageCount >= this.settings.serverMessageCountMin;
    return isLarge ? { server, epoch: row.epoch, sequence: row.sequence } : undefined;
  }
}

/** Locks the index state of a server; returns undefined when another node has locked it. */
async function holdIndex(session: Session, { server, epoch, sequence }: ServerState): Promise<IndexState | undefined> {
  const [index] = await session.query<IndexState>(
    `select epoch, up_to as "upTo", walk_to as "walkTo", walk_slot as "walkSlot" from text_index where server_id = $1
     for update skip locked`,
    [server],
  );
  if (index === undefined || index.epoch === epoch) return index;
  await session.query("update text_index set epoch = $2 where server_id = $1", [server, epoch]);
  return { epoch, upTo: 0, walkTo: sequence, walkSlot: noSlot };
}

/** Indexes the next messages by slot. */
async function walk(session: Session, state: ServerState, index: IndexState): Promise<Progress> {
  const found = await session.query<Found>(
    `select slot, sequence, octet_length(body) as size from message
     where server_id = $1 and (epoch, slot) > ($2, $3) and (epoch, slot) <= ($2, $4)
     order by epoch, slot limit ${messageCountPerStep}`,
    [state.server, state.epoch, index.walkSlot, lastSlot],
  );
  const taken = takeSome(found);
  await copyTexts(session, state, taken);
  if (taken.length === found.length && found.length < messageCountPerStep) {
    return { upTo: index.walkTo ?? index.upTo, walkTo: null, walkSlot: noSlot };
  }
  return { ...index, walkSlot: taken.at(-1)?.slot ?? index.walkSlot };
}

/** Indexes the next messages by their numbers in the journal; when the journal begins later, all messages are walked. */
async function follow(session: Session, state: ServerState, index: IndexState): Promise<Progress> {
  const changes = await session.query<{ sequence: number; kind: number; id: MessageId | null }>(
    `select sequence, kind, id from change where server_id = $1 and sequence > $2 order by sequence
     limit ${messageCountPerStep}`,
    [state.server, index.upTo],
  );
  if (changes[0]?.sequence !== index.upTo + 1) return { upTo: index.upTo, walkTo: state.sequence, walkSlot: noSlot };
  const slots = changes.flatMap(({ kind, id }) => (kind < 2 && id !== null ? [bytesOf(id).slot] : []));
  const found = await session.query<Found>(
    `select slot, sequence, octet_length(body) as size from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) order by sequence`,
    [state.server, state.epoch, uuidArray(slots)],
  );
  const taken = takeSome(found);
  await copyTexts(session, state, taken);
  const last = taken.length === found.length ? changes.at(-1) : taken.at(-1);
  return { ...index, upTo: last?.sequence ?? index.upTo };
}

/** Returns the first messages within the bounds of a step, at least one. */
function takeSome(found: readonly Found[]): readonly Found[] {
  let bytes = 0;
  const end = found.findIndex(({ size }, at) => {
    bytes += Math.min(size, indexedBytesMax);
    return at > 0 && bytes > textBytesPerStep;
  });
  return end < 0 ? found : found.slice(0, end);
}

/** Copies texts into the index. Equal rows stay; a different text in a slot was left by an older version. */
async function copyTexts(session: Session, { server, epoch }: ServerState, taken: readonly Found[]): Promise<void> {
  if (taken.length === 0) return;
  await session.query(
    `insert into indexed_text (server_id, epoch, slot, body)
     select m.server_id, m.epoch, m.slot, i.body
     from message m cross join lateral (
       select case when octet_length(m.body) > ${indexedBytesMax} then '' else m.body end as body
     ) i
     where m.server_id = $1 and m.epoch = $2 and m.slot = any($3::uuid[]) and m.body <> '' and not exists (
       select 1 from indexed_text t
       where t.server_id = $1 and t.epoch = m.epoch and t.slot = m.slot and t.body = i.body)
     on conflict (server_id, epoch, slot) do update set body = excluded.body`,
    [server, epoch, uuidArray(taken.map(({ slot }) => Buffer.from(slot.replaceAll("-", ""), "hex")))],
  );
}

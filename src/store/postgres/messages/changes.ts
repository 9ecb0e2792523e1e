import type { Change, ChangeKind } from "../../../core/change.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { JournalRows } from "../../records/server-position.ts";
import { rowsOf } from "../../sql/query.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf } from "./id-slots.ts";

/** Number of last changes of a server that the journal always holds. */
const changeCountKept = 10_000;
/** Number of last changes that it holds at most of a server whose changes wait to become callbacks. */
const changeCountUnprocessedMax = 1_000_000;
/** Number of changes deleted in one step. */
const changeCountPerStep = 10_000;
/** Number of changes between two trims of a journal. */
const changeCountBetweenCuts = 1000;

/** Stored numbers; the order is part of the schema. */
const kinds: readonly ChangeKind[] = ["received", "sent", "deleted", "emptied", "failed", "marked"];

interface ChangeRow {
  readonly sequence: number;
  readonly kind: number;
  readonly id: MessageId | null;
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/** Columns of a message that waiting callers compare. */
export interface ChangedMessage {
  readonly summary: string;
  readonly subject: string;
  /** Null when it is longer than 64 KiB: callers that wait for a part of it search themselves. */
  readonly body: string | null;
}

/** Change, and the message that it stored; null when it stored none, and when the message was deleted since. */
export interface ChangeWithMessage {
  readonly change: Change;
  readonly message: ChangedMessage | null;
}

const bodyBytesMax = 64 * 1024;

/** Returns a statement that reads changes, with further columns of a joined relation; always one row while the server exists. */
const readChanges = (columns: string, join: string): string => `
  select s.sequence as last, c.sequence, c.kind, c.id${columns}
  from server s left join lateral
    (select sequence, kind, id from change where server_id = $1 and sequence > $2 order by sequence limit $3) c on true
  ${join} where s.server_id = $1 order by c.sequence`;

const plainChanges = readChanges("", "");

/**
 * A slot is found by a range of the primary key, because text allows to clear 12 bits of an id, but not 10. `offset 0` keeps
 * the planner from turning the look-ups into a join.
 */
const changesWithMessages = readChanges(
  ", m.summary, m.subject, m.body",
  `left join lateral
    (select summary, subject, case when octet_length(body) <= ${bodyBytesMax} then body end as body from message
     where server_id = $1 and epoch = s.epoch and slot >= (left(c.id::text, 33) || '000')::uuid and slot <= c.id
       and id = c.id and c.kind < 2 offset 0) m on true`,
);

/** Returns the stored number of a kind of change. */
export function kindNumberOf(kind: ChangeKind): number {
  return kinds.indexOf(kind);
}

/** Journal of PostgreSQL. */
export const journal: JournalRows = {
  *append(server, kind, id) {
    const [row] = yield* rowsOf<{ readonly sequence: number }>(
      `with advanced as (update server set sequence = sequence + 1 where server_id = $1 returning sequence)
     insert into change (server_id, sequence, kind, id) select $1, sequence, $2, $3::uuid from advanced
     returning sequence`,
      [server, kindNumberOf(kind), id],
    );
    if (row === undefined) throw new Error("a server vanished within a transaction");
    return row.sequence;
  },
  *release() {
    // Nodes notice it after the commit.
  },
};

/** Journal of changes of servers, numbered without gaps in commit order. */
export class Changes {
  readonly #database: Database;
  /** Servers whose journal can be trimmed, with the last number to delete. */
  readonly #overlong = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Implements `listChanges` of the contract. */
  async list(id: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined> {
    return (await this.#read<ChangeRow>(plainChanges, { id, sequence, limit }))?.map(toChange);
  }

  /** Works as {@link list}, with the searched columns of the messages that changes name, if they still exist. */
  async listWithMessages(
    id: ServerId,
    sequence: number,
    limit: number,
  ): Promise<readonly ChangeWithMessage[] | undefined> {
    const rows = await this.#read<ChangeRow & Nullable<ChangedMessage>>(changesWithMessages, { id, sequence, limit });
    return rows?.map((row) => {
      const { summary, subject, body } = row;
      const isPresent = summary !== null && subject !== null;
      return { change: toChange(row), message: isPresent ? { summary, subject, body } : null };
    });
  }

  /** Reads the changes after a sequence number; undefined when the journal does not hold all of them, or has no such number yet. */
  async #read<Row extends ChangeRow>(
    sql: string,
    { id, sequence, limit }: { readonly id: ServerId; readonly sequence: number; readonly limit: number },
  ): Promise<readonly Row[] | undefined> {
    const parameters = [serverNumberOf(id), sequence, limit];
    const rows = await this.#database.query<{ readonly last: number } & Row>(sql, parameters);
    const last = rows[0]?.last ?? 0;
    if (sequence > last) return undefined;
    if (sequence === last || limit === 0) return [];
    return rows[0]?.sequence === sequence + 1 ? rows : undefined;
  }

  /** Records the sequence number of a server, so that its journal is trimmed in time. */
  notice(server: number, { before, after }: { readonly before: number; readonly after: number }): void {
    const passed = Math.floor(after / changeCountBetweenCuts) * changeCountBetweenCuts;
    if (passed <= before || passed <= changeCountKept) return;
    this.#markOverlong(server, passed - changeCountKept);
  }

  /** True when a journal can be trimmed. */
  get isOverlong(): boolean {
    return this.#overlong.size > 0;
  }

  /** Trims the journal of one server in one short step, except changes that were not turned into callbacks yet. */
  async forgetSome(): Promise<void> {
    const [next] = this.#overlong;
    if (next === undefined) return;
    const [server, upTo] = next;
    // Removed first: a number that is noticed meanwhile stays.
    this.#overlong.delete(server);
    const isDone = await this.#trim(server, upTo).catch((error: unknown) => {
      this.#markOverlong(server, upTo);
      throw error;
    });
    if (!isDone) this.#markOverlong(server, upTo);
  }

  #markOverlong(server: number, upTo: number): void {
    this.#overlong.set(server, Math.max(upTo, this.#overlong.get(server) ?? 0));
  }

  /** Deletes the oldest changes up to a number, except unprocessed ones; returns false when more can be deleted now. */
  async #trim(server: number, upTo: number): Promise<boolean> {
    const [cursor] = await this.#database.query<{ sequence: number }>(
      "select sequence from callback_cursor where server_id = $1",
      [server],
    );
    const [oldest] = await this.#database.query<{ sequence: number | null }>(
      "select min(sequence) as sequence from change where server_id = $1",
      [server],
    );
    const unprocessedUpTo = upTo + changeCountKept - changeCountUnprocessedMax;
    const end = Math.max(unprocessedUpTo, Math.min(upTo, cursor?.sequence ?? upTo));
    const stepEnd = Math.min(end, (oldest?.sequence ?? end) + changeCountPerStep - 1);
    await this.#database.query("delete from change where server_id = $1 and sequence <= $2", [server, stepEnd]);
    return stepEnd === end;
  }
}

function toChange(row: ChangeRow): Change {
  const kind = kinds[row.kind];
  if (kind === undefined) throw new Error(`unknown kind of change ${row.kind}`);
  return { sequence: row.sequence, kind, id: row.id };
}

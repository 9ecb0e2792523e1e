import type { Change } from "../../../core/change.ts";
import type { ServerId } from "../../../core/ids.ts";
import { JournalTrims, kindNumberOf, toChange, type ChangeRow } from "../../records/journal-trims.ts";
import type { JournalRows } from "../../records/server-position.ts";
import { rowsOf } from "../../sql/query.ts";
import type { Database } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { serverNumberOf } from "./id-slots.ts";

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
export class Changes extends JournalTrims {
  readonly #database: Database;

  constructor(database: Database) {
    super(postgresDialect);
    this.#database = database;
  }

  /** Implements `listChanges` of the contract. */
  async list(id: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined> {
    return (await this.#read<ChangeRow>(plainChanges, { id, sequence, limit }))?.map((row) =>
      toChange(row, postgresDialect.fromSlot),
    );
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
      return {
        change: toChange(row, postgresDialect.fromSlot),
        message: isPresent ? { summary, subject, body } : null,
      };
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

  /** Trims the journal of one server in one short step. */
  async forgetSome(): Promise<void> {
    await runOn(this.#database, this.trimSome());
  }
}

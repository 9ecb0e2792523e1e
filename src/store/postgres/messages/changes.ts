import type { Change } from "../../../core/events.ts";
import type { ServerId } from "../../../core/ids.ts";
import {
  changesAfter,
  JournalTrims,
  kindNumberOf,
  readChanges,
  toChange,
  type ChangeRow,
} from "../../records/change-rows.ts";
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

/**
 * A slot is found by a range of the primary key, because text allows to clear 12 bits of an id, but not 10. `offset 0` keeps
 * the planner from turning the look-ups into a join.
 */
const changesWithMessages = changesAfter(postgresDialect, {
  columns: ", m.summary, m.subject, m.body",
  join: `left join lateral
    (select summary, subject, case when octet_length(body) <= ${bodyBytesMax} then body end as body from message
     where server_id = $1 and epoch = s.epoch and slot >= (left(c.id::text, 33) || '000')::uuid and slot <= c.id
       and id = c.id and c.kind < 2 offset 0) m on true`,
});

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

  /** Records one change of a server, so that its journal is trimmed in time. */
  noticeOne(server: ServerId, sequence: number): void {
    this.notice(serverNumberOf(server), { before: sequence - 1, after: sequence });
  }

  /** Works as `listChanges`, with the searched columns of the messages that changes name, if they still exist. */
  async listWithMessages(
    server: ServerId,
    sequence: number,
    limit: number,
  ): Promise<readonly ChangeWithMessage[] | undefined> {
    const rows = await runOn(
      this.#database,
      readChanges<ChangeRow & Nullable<ChangedMessage>>(postgresDialect, changesWithMessages, {
        server,
        sequence,
        limit,
      }),
    );
    return rows?.map((row) => {
      const { summary, subject, body } = row;
      const isPresent = summary !== null && subject !== null;
      return {
        change: toChange(postgresDialect, row),
        message: isPresent ? { summary, subject, body } : null,
      };
    });
  }

  /** Trims the journal of one server in one short step. */
  async forgetSome(): Promise<void> {
    await runOn(this.#database, this.trimSome());
  }
}

import type { MessageId, ServerId } from "../../core/ids.ts";
import type { PendingReport } from "../callback-store.ts";
import { DialectRows, type ForEachRow } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { randomUUID } from "node:crypto";

/** Returns a new id; ids are in the order of `at`, the instant of the delivery in milliseconds since the Unix epoch. */
function newReportId(at: number): string {
  return `${String(Math.floor(at)).padStart(16, "0")}-${randomUUID()}`;
}

/** Message that was delivered. */
export interface DeliveredMessage {
  readonly message: MessageId;
  readonly server: ServerId;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Statements about reports of delivered messages, until events are made of them. */
export class ReportRows extends DialectRows {
  readonly #insert: ForEachRow = this.dialect.forEachRow(
    { id: "text", message: "uuid", server: "text" },
    ({ of, from }) =>
      `insert into callback_report (id, message) select ${of("id")}, ${of("message")} ${from}
       where exists (select 1 from callback_cursor c where c.server = ${of("server")})`,
  );

  /** Adds reports of messages whose servers have targets, in the transaction of the attempts. */
  *add(delivered: readonly DeliveredMessage[]): Query<void> {
    yield* this.#insert(delivered.map(({ message, server, at }) => [newReportId(at), message, server]));
  }

  *list(limit: number): Query<readonly PendingReport[]> {
    const sql = "select id, message from callback_report order by id limit cast($1 as integer)";
    return yield* rowsOf<PendingReport>(sql, [limit]);
  }

  *remove(ids: readonly string[]): Query<void> {
    const { isAmong, list } = this.dialect;
    yield* rowsOf(`delete from callback_report where ${isAmong("id", "$1", "text")}`, [list(ids)]);
  }
}

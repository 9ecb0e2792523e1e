/** Reports of delivered messages, until events are made of them. */
import type { MessageId } from "../../../core/ids.ts";
import type { PendingReport } from "../../callback-store.ts";
import { newReportId } from "../../report-ids.ts";
import { bigintArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { toText } from "../connection/text.ts";

/** Message that was delivered. */
export interface DeliveredMessage {
  readonly message: MessageId;
  /** Number of its server. */
  readonly server: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Adds reports of messages whose servers have targets, for use inside the transaction of the attempts. */
export async function addReports(session: Session, delivered: readonly DeliveredMessage[]): Promise<void> {
  if (delivered.length === 0) return;
  await session.query(
    `insert into callback_report (id, message)
     select r.id, r.message::uuid from unnest($1::text[], $2::text[], $3::int8[]) as r(id, message, server_id)
     where exists (select 1 from callback_cursor c where c.server_id = r.server_id)`,
    [
      delivered.map(({ at }) => newReportId(at)),
      delivered.map(({ message }) => message),
      bigintArray(delivered.map(({ server }) => server)),
    ],
  );
}

/** Implements `listPendingReports` of the contract. */
export async function listReports(database: Database, limit: number): Promise<readonly PendingReport[]> {
  return await database.query<PendingReport & { [column: string]: unknown }>(
    "select id, message from callback_report order by id limit $1",
    [limit],
  );
}

/** Removes reports. */
export async function removeReports(session: Session, ids: readonly string[]): Promise<void> {
  await session.query("delete from callback_report where id = any($1::text[])", [ids.map(toText)]);
}

/** Effects of deleted messages, emptied and deleted servers on deliveries, inside their transactions. */
import { claims } from "../../queues/leased-tables.ts";
import type { Session } from "../connection/database.ts";
import { clearFailures } from "./target-failures.ts";

const cancel = `update callback_delivery set is_message_stored = false, lease = null, due_at = null, ${claims.ended},
  status = case when due_at is null and quarantined_at is null then status else 'Cancelled' end where is_message_stored and`;

/** Cancels the deliveries of deleted messages. */
export async function cancelDeliveriesOfMessages(session: Session, ids: Buffer): Promise<void> {
  await session.query(`${cancel} message = any($1::uuid[])`, [ids]);
}

/** Cancels the deliveries of all messages of an emptied server. */
export async function cancelDeliveriesOfServer(session: Session, server: number): Promise<void> {
  await session.query(`${cancel} server_id = $1`, [server]);
}

/** Removes the targets and deliveries of a server; most deliveries are purged in the background. */
export async function removeCallbacks(session: Session, server: number): Promise<void> {
  await session.query("delete from callback_cursor where server_id = $1", [server]);
  const targets = await session.query<{ id: string }>("delete from callback_target where server_id = $1 returning id", [
    server,
  ]);
  await enqueueDeliveryPurge(
    session,
    targets.map(({ id }) => id),
  );
  await session.query("delete from callback_delivery where server_id = $1 and target is null", [server]);
}

/** Lets the deliveries of removed targets, by their stored ids, be purged, and forgets their failures. */
export async function enqueueDeliveryPurge(session: Session, targets: readonly string[]): Promise<void> {
  const sql = "insert into callback_purge (target) select * from unnest($1::text[]) on conflict do nothing";
  if (targets.length > 0) await session.query(sql, [targets]);
  await clearFailures(session, targets);
}

import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId } from "../../../core/ids.ts";
import { uuidArray } from "../connection/arrays.ts";
import { splitKeys } from "./address-keys.ts";
import { kindNumberOf } from "../../records/journal-trims.ts";
import { recordRows } from "../account/records.ts";
import type { Session } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";
import { bytesOf } from "./id-slots.ts";
import { removeParts } from "../content/external-content.ts";

interface RemovedRow {
  readonly id: MessageId;
  readonly addresses: Buffer;
  readonly bytes: number;
}

/** Place and options of {@link removeMessages}. */
export interface RemovalScope {
  readonly server: number;
  readonly epoch: number;
  /** Keeps the outbox entries, deliveries, annotations and marks, because the same messages are stored again in this transaction. */
  readonly keepsOutbox?: boolean;
}

/**
 * Removes messages of a server whose row the transaction has locked, with all their rows, each as a change of its own,
 * in the given order. Returns the number of messages that existed.
 */
export async function removeMessages(
  session: Session,
  { server, epoch, keepsOutbox = false }: RemovalScope,
  ids: readonly MessageId[],
): Promise<number> {
  const rows = await session.query<RemovedRow>(
    `delete from message where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) and id = any($4::uuid[])
     returning id, addresses, bytes`,
    [server, epoch, uuidArray(ids.map((id) => bytesOf(id).slot)), uuidArray(ids.map((id) => bytesOf(id).id))],
  );
  if (rows.length === 0) return 0;
  const keysOf = new Map(rows.map(({ id, addresses }) => [id, splitKeys(addresses)]));
  let byteCount = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const removed = ids.filter((id) => keysOf.has(id));
  const idArray = uuidArray(removed.map((id) => bytesOf(id).id));
  const slotArray = uuidArray(removed.map((id) => bytesOf(id).slot));
  await removeParts(session, "slot = any($3::uuid[])", [server, epoch, slotArray]);
  await session.query(
    `delete from address a using unnest($3::uuid[], $4::uuid[]) as gone(key, slot)
     where a.server_id = $1 and a.epoch = $2 and a.key = gone.key and a.slot = gone.slot`,
    [
      server,
      epoch,
      uuidArray(removed.flatMap((id) => keysOf.get(id) ?? [])),
      uuidArray(removed.flatMap((id) => (keysOf.get(id) ?? []).map(() => bytesOf(id).slot))),
    ],
  );
  if (!keepsOutbox) {
    const place = { number: server, epoch };
    byteCount += await runOn(session, recordRows.annotations.removeOf(place, removed));
    await runOn(session, recordRows.marks.removeOf(place, removed));
    await runOn(session, recordRows.outbox.removeOf(epoch, removed));
    await runOn(session, recordRows.deliveries.cancelOfMessages(removed));
  }
  await session.query(
    `with advanced as (
       update server set sequence = sequence + $2::bigint, received_count = received_count - $3::bigint,
         sent_count = sent_count - $4::bigint, byte_count = byte_count - $7::bigint
       where server_id = $1 returning sequence - $2::bigint as base)
     insert into change (server_id, sequence, kind, id)
     select $1::bigint, a.base + m.n, $5::smallint, m.id
     from advanced a cross join unnest($6::uuid[]) with ordinality as m(id, n)`,
    [server, removed.length, ...countsOf(removed), kindNumberOf("deleted"), idArray, byteCount],
  );
  return removed.length;
}

function countsOf(ids: readonly MessageId[]): readonly [received: number, sent: number] {
  const sentCount = ids.filter((id) => decodeMessageId(id).direction === "Sent").length;
  return [ids.length - sentCount, sentCount];
}

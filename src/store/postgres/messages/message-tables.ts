/** Rows of messages, for {@link MessageRows}. */
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { kindNumberOf } from "../../records/change-rows.ts";
import type { MessageTables, PresentMessage } from "../../records/message-rows.ts";
import { rowsOf } from "../../sql/query.ts";
import { uuidArray } from "../connection/parameters.ts";
import { writeChunks } from "../content/content.ts";
import { removeParts } from "../content/external-content.ts";
import { splitKeys } from "./address-keys.ts";
import { bytesOf, slotOf } from "./id-slots.ts";
import { hasChunks, type Incoming, insertMessages } from "./insert.ts";

interface RemovedRow {
  readonly id: MessageId;
  readonly addresses: Buffer;
  readonly bytes: number;
}

const uncount =
  "update usage set email = email - 1, bytes = bytes - $4 where server_id = $1 and day = $2 and team = $3";

/** Returns the statements; see `insertMessages`. */
export function messageTables(isDistributed: boolean): MessageTables<Incoming> {
  return {
    *find({ number, epoch }, ids) {
      const rows = yield* rowsOf<PresentMessage>(
        "select id, sequence, summary from message where server_id = $1 and epoch = $2 and slot = any($3::uuid[])",
        [number, epoch, uuidArray(ids.map((id) => bytesOf(id).slot))],
      );
      const bySlot = new Map(rows.map((row) => [slotOf(row.id), row]));
      return ids.flatMap((id) => {
        const found = bySlot.get(slotOf(id));
        return found === undefined ? [] : [[id, found] as const];
      });
    },
    *insert({ number, epoch }, messages, isReplacement = false) {
      const inserted = yield* insertMessages(messages, null, isDistributed);
      if (inserted === undefined) throw new Error("a server vanished within a transaction");
      for (const message of messages) {
        const owner = { server: number, epoch, slot: slotOf(message.id) };
        if (hasChunks(message)) yield* writeChunks(owner, message.content);
        // The insert has counted it a second time.
        if (isReplacement) yield* rowsOf(uncount, [number, message.day, inserted.team, message.bytes]);
      }
      return inserted.base;
    },
    *remove({ number, epoch }, ids) {
      const rows = yield* rowsOf<RemovedRow>(
        `delete from message where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) and id = any($4::uuid[])
         returning id, addresses, bytes`,
        [number, epoch, ...arraysOf(ids)],
      );
      if (rows.length === 0) return 0;
      const keysOf = new Map(rows.map(({ id, addresses }) => [id, splitKeys(addresses)]));
      const removed = ids.filter((id) => keysOf.has(id));
      const [slots, idArray] = arraysOf(removed);
      yield* removeParts("slot = any($3::uuid[])", [number, epoch, slots]);
      yield* rowsOf(
        `delete from address a using unnest($3::uuid[], $4::uuid[]) as gone(key, slot)
         where a.server_id = $1 and a.epoch = $2 and a.key = gone.key and a.slot = gone.slot`,
        [
          number,
          epoch,
          uuidArray(removed.flatMap((id) => keysOf.get(id) ?? [])),
          uuidArray(removed.flatMap((id) => (keysOf.get(id) ?? []).map(() => bytesOf(id).slot))),
        ],
      );
      const byteCount = rows.reduce((sum, { bytes }) => sum + bytes, 0);
      yield* rowsOf(
        `with advanced as (
       update server set sequence = sequence + $2::bigint, received_count = received_count - $3::bigint,
         sent_count = sent_count - $4::bigint, byte_count = byte_count - $7::bigint
       where server_id = $1 returning sequence - $2::bigint as base)
     insert into change (server_id, sequence, kind, id)
     select $1::bigint, a.base + m.n, $5::smallint, m.id
     from advanced a cross join unnest($6::uuid[]) with ordinality as m(id, n)`,
        [number, removed.length, ...countsOf(removed), kindNumberOf("deleted"), idArray, byteCount],
      );
      return removed.length;
    },
  };
}

/** Returns the slots and the ids of messages. */
function arraysOf(ids: readonly MessageId[]): readonly [slots: Buffer, ids: Buffer] {
  const bytes = ids.map(bytesOf);
  return [uuidArray(bytes.map(({ slot }) => slot)), uuidArray(bytes.map(({ id }) => id))];
}

function countsOf(ids: readonly MessageId[]): readonly [received: number, sent: number] {
  const sentCount = ids.filter((id) => decodeMessageId(id).direction === "Sent").length;
  return [ids.length - sentCount, sentCount];
}

/** Index keys of addresses and labels, and the index of tags. */
import { hash } from "node:crypto";
import type { KeyRole } from "../../../core/criteria.ts";
import type { MessageTag, TagIndexRows } from "../../records/mark-rows.ts";
import { rowsOf } from "../../sql/query.ts";
import { uuidArray } from "../connection/parameters.ts";
import { bytesOf } from "./id-slots.ts";

/** Size of a key. */
export const addressKeyBytes = 16;

/**
 * Returns the index key of a folded address or a label in a role: the first half of its SHA-256. Addresses are too long for an
 * index; collisions are not expected.
 */
export function addressKey(role: KeyRole, address: string): Buffer {
  return hash("sha256", `${role}:${address}`, "buffer").subarray(0, addressKeyBytes);
}

/** Splits a column of concatenated keys. */
export function splitKeys(keys: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: keys.length / addressKeyBytes }, (_, index) =>
    keys.subarray(index * addressKeyBytes, (index + 1) * addressKeyBytes),
  );
}

/** Index key of a tag, and the slot of its message. */
interface TagKey {
  readonly key: Buffer;
  readonly slot: Uint8Array;
}

/** Index of tags, which is that of addresses. */
export const tagIndex: TagIndexRows = {
  *add({ number, epoch }, tags) {
    yield* rowsOf(
      `insert into address (server_id, epoch, key, slot) select $1::bigint, $2::bigint, k.key, k.slot
       from unnest($3::uuid[], $4::uuid[]) as k(key, slot) on conflict do nothing`,
      [number, epoch, ...arraysOf(tags.map(keyOf))],
    );
  },
  *remove({ number, epoch }, tags) {
    const keys = tags.map(keyOf);
    const rows = yield* rowsOf<{ readonly id: MessageTag["message"]; readonly addresses: Buffer }>(
      "select id, addresses from message where server_id = $1 and epoch = $2 and slot = any($3::uuid[])",
      [number, epoch, uuidArray(keys.map(({ slot }) => slot))],
    );
    const own = new Map(
      rows.map(({ id, addresses }) => [Buffer.from(bytesOf(id).slot).toString("hex"), splitKeys(addresses)]),
    );
    const removed = keys.filter(
      ({ key, slot }) => !own.get(Buffer.from(slot).toString("hex"))?.some((one) => key.equals(one)),
    );
    yield* rowsOf(
      `delete from address a using unnest($3::uuid[], $4::uuid[]) as gone(key, slot)
       where a.server_id = $1 and a.epoch = $2 and a.key = gone.key and a.slot = gone.slot`,
      [number, epoch, ...arraysOf(removed)],
    );
  },
};

function keyOf({ message, tag }: MessageTag): TagKey {
  return { key: addressKey("tag", tag), slot: bytesOf(message).slot };
}

function arraysOf(keys: readonly TagKey[]): readonly [Buffer, Buffer] {
  return [uuidArray(keys.map(({ key }) => key)), uuidArray(keys.map(({ slot }) => slot))];
}

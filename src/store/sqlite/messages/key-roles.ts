/** Index keys of a message, as they are stored, and the index of tags. */
import { labelRoles, type KeyRole, type LabelKeys } from "../../../core/criteria.ts";
import { idToBytes } from "../../../core/ids.ts";
import type { TagIndexRows } from "../../records/mark-rows.ts";
import { rowsOf } from "../../sql/query.ts";

/** Stored numbers of the roles of a key. */
export const keyRoles: Readonly<Record<KeyRole, number>> = { from: 0, to: 1, provider: 2, tag: 3, providerId: 4 };

/** Keys of a message as they are stored with its content; messages without labels have no third member. */
export type StoredKeys = readonly [from: readonly string[], to: readonly string[], labels?: LabelKeys];

/** Returns the stored form of the keys of a message. */
export function storedKeys({
  from,
  to,
  labels,
}: {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly labels: LabelKeys;
}): StoredKeys {
  return Object.keys(labels).length === 0 ? [from, to] : [from, to, labels];
}

/** Yields the keys of a message with their roles. */
export function* keysIn([from, to, labels = {}]: StoredKeys): Generator<readonly [KeyRole, string]> {
  for (const key of from) yield ["from", key];
  for (const key of to) yield ["to", key];
  for (const role of labelRoles) for (const key of labels[role] ?? []) yield [role, key];
}

/** Index of tags, which is that of addresses. */
export const tagIndex: TagIndexRows = {
  *add({ epoch }, tags) {
    const sql = "insert or ignore into address (epoch, role, address, id) values ($1, $2, $3, $4)";
    for (const { message, tag } of tags) yield* rowsOf(sql, [epoch, keyRoles.tag, tag, idToBytes(message)]);
  },
  *remove({ epoch }, tags) {
    for (const { message, tag } of tags) {
      const id = idToBytes(message);
      const [content] = yield* rowsOf<{ readonly addresses: string }>(
        `select c.addresses from message m join content c on c.number = m.content where m.epoch = $1 and m.id = $2`,
        [epoch, id],
      );
      const [, , labels] = JSON.parse(content?.addresses ?? "[]") as Partial<StoredKeys>;
      if (labels?.tag?.includes(tag) === true) continue;
      yield* rowsOf("delete from address where epoch = $1 and role = $2 and address = $3 and id = $4", [
        epoch,
        keyRoles.tag,
        tag,
        id,
      ]);
    }
  },
};

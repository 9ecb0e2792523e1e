import { idToBytes } from "../../../core/ids.ts";
import type { TagIndexRows } from "../../records/mark-rows.ts";
import { rowsOf } from "../../sql/query.ts";
import { keyRoles, type StoredKeys } from "./key-roles.ts";

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

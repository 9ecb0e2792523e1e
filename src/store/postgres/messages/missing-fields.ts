import { decodeMessageId, encodeMessageId, type MessageId } from "../../../core/ids.ts";
import { encodeSearchFields, searchFieldsVersion } from "../../../core/search/search-fields.ts";
import type { SearchFieldStore } from "../../search-field-store.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf, slotOf } from "./id-slots.ts";

const noId = "00000000-0000-0000-0000-000000000000";
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/**
 * Returns the condition in SQL of a message whose fields are missing or outdated; as the index of these messages has it, so that
 * it is used. `alias` is the prefix of the columns.
 */
export const isMissing = (alias: string): string =>
  `(${alias}fields is null or right(${alias}fields, 1) <> chr(${searchFieldsVersion.charCodeAt(0)}))`;
/** Messages of deleted and emptied servers are purged later. */
const missing = `from message m join server s on s.server_id = m.server_id and s.epoch = m.epoch where ${isMissing("m.")}`;

/** Creates the store of search fields. */
export function createSearchFieldStore(database: Database): SearchFieldStore {
  return {
    listWithoutFields: async (after, limit) => {
      const rows = await database.query<{ id: MessageId }>(
        `select m.id ${missing} and m.id > $1 order by m.id limit $2`,
        [after ?? noId, limit],
      );
      return rows.map(({ id }) => id);
    },
    countWithoutFields: async (server) => {
      const [first, last] =
        server === null
          ? [noId, lastId]
          : [
              encodeMessageId({ server, direction: "Received", receivedAt: 0, random: 0 }),
              encodeMessageId({ server, direction: "Sent", receivedAt: 2 ** 47 - 1, random: 0xffffffff }),
            ];
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int8 as count ${missing} and m.id between $1 and $2`,
        [first, last],
      );
      return row?.count ?? 0;
    },
    putFields: async (messages) => {
      for (const { id, fields, sizeBytes } of messages) {
        await database.query(
          `update message set fields = $4, size = $5
           where server_id = $1 and epoch = (select epoch from server where server_id = $1) and slot = $2 and id = $3
             and ${isMissing("")}`,
          [serverNumberOf(decodeMessageId(id).server), slotOf(id), id, encodeSearchFields(fields), sizeBytes],
        );
      }
    },
  };
}

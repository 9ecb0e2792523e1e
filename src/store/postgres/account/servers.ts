import { randomInt } from "node:crypto";
import type { ServerParts } from "../../records/server-rows.ts";
import { computed, rowsOf } from "../../sql/query.ts";

/** Epochs are random numbers, so that a server created again with an old id has an epoch of its own. */
const epochEnd = 2 ** 48 - 1;

/** Epochs, and the queue of the purge. */
export const serverParts: ServerParts = {
  nextEpoch: () => computed(() => randomInt(1, epochEnd)),
  *enqueuePurge({ number, epoch, receivedCount, sentCount }, isDeleted) {
    if (isDeleted) yield* rowsOf("delete from change where server_id = $1", [number]);
    const sql = "insert into purge (server_id, epoch, message_count) values ($1, $2, $3)";
    yield* rowsOf(sql, [number, epoch, receivedCount + sentCount]);
  },
};

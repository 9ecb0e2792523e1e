import { randomInt } from "node:crypto";
import type { ServerId } from "../../../core/ids.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import { lockServer as lockRow } from "../../records/server-position.ts";
import type { ServerParts } from "../../records/server-rows.ts";
import { computed, rowsOf } from "../../sql/query.ts";
import type { Session } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";

/** Epochs are random numbers, so that a server created again with an old id has an epoch of its own. */
const epochEnd = 2 ** 48 - 1;

/** Works as `lockServer` of the records. */
export async function lockServer(session: Session, server: ServerId): Promise<ServerPosition | undefined> {
  return await runOn(session, lockRow(postgresDialect, server));
}

/** Epochs, and the queue of the purge. */
export const serverParts: ServerParts = {
  nextEpoch: () => computed(() => randomInt(1, epochEnd)),
  *enqueuePurge({ number, epoch, receivedCount, sentCount }, isDeleted) {
    if (isDeleted) yield* rowsOf("delete from change where server_id = $1", [number]);
    const sql = "insert into purge (server_id, epoch, message_count) values ($1, $2, $3)";
    yield* rowsOf(sql, [number, epoch, receivedCount + sentCount]);
  },
};

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { ServerParts } from "../../records/server-rows.ts";
import { rowsOf } from "../../sql/query.ts";

/** Query of the positions of servers, with which most reads and writes of messages begin. */
export class ServerReads {
  readonly #position: StatementSync;

  constructor(database: DatabaseSync) {
    this.#position = database.prepare(
      `select number, epoch, sequence, received_count as receivedCount, sent_count as sentCount,
         byte_count as byteCount, quota_messages as quotaMessages, quota_bytes as quotaBytes, team
       from server where id = ?`,
    );
  }

  position(id: ServerId): ServerPosition | undefined {
    return this.#position.get(id) as unknown as ServerPosition | undefined;
  }
}

/** Epochs, and the queue of the purge, which also purges the changes of the numbers that it has. */
export const serverParts: ServerParts = {
  *nextEpoch() {
    const [row] = yield* rowsOf<{ readonly epoch: number }>("update state set epoch = epoch + 1 returning epoch");
    if (row === undefined) throw new Error("the table state is empty");
    return row.epoch;
  },
  *enqueuePurge({ number, epoch, receivedCount, sentCount }, isDeleted) {
    const sql = "insert into purge (epoch, server, message_count) values ($1, $2, $3)";
    yield* rowsOf(sql, [epoch, isDeleted ? number : null, receivedCount + sentCount]);
  },
};

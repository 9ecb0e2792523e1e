/** Servers of SQLite: their positions, their part of shared statements, and the cache of their records. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { ServerParts } from "../../records/server-rows.ts";
import { rowsOf } from "../../sql/query.ts";
import type { RecordStores } from "../../records/record-stores.ts";
import { withAfterCalls } from "../../sql/calls.ts";
import type { ResultCache } from "../messages/result-cache.ts";

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

/** Dependencies of {@link createServerStore}. */
export interface ServerStoreDependencies {
  readonly local: { readonly isOpen: boolean; readonly requireOpen: () => void };
  readonly cache: ResultCache;
  /** Called when a server was deleted. */
  readonly onDeleted: () => Promise<void>;
}

type Servers = Pick<RecordStores, "getServer" | "hasServer" | "updateServer" | "deleteServer" | "emptyServer">;

/** Servers that are known to exist without a query: every recipient of a mail asks for one. */
const presentCountMax = 10_000;

/** Creates the store of servers, whose records are cached until they change. */
export function createServerStore(servers: Servers, { local, cache, onDeleted }: ServerStoreDependencies): Servers {
  const present = new Set<ServerId>();
  const isPresent = async (id: ServerId): Promise<boolean> => {
    if (!(await servers.hasServer(id))) return false;
    if (present.size >= presentCountMax) present.clear();
    present.add(id);
    return true;
  };
  const { updateServer, emptyServer } = servers;
  return {
    ...withAfterCalls(
      { updateServer, emptyServer },
      { updateServer: (id) => cache.forgetServer(id), emptyServer: (id) => cache.messagesDeleted(id) },
    ),
    getServer: async (id) => {
      local.requireOpen();
      const cached = cache.getServerRecord(id);
      if (cached !== undefined) return cached;
      const server = await servers.getServer(id);
      if (server !== undefined) cache.setServerRecord(server);
      return server;
    },
    hasServer: (id) => (present.has(id) && local.isOpen) || isPresent(id),
    deleteServer: async (id, idleSince) => {
      try {
        const wasDeleted = await servers.deleteServer(id, idleSince);
        await onDeleted();
        return wasDeleted;
      } finally {
        present.delete(id);
        cache.forgetServer(id);
        cache.clearKeys();
      }
    },
  };
}

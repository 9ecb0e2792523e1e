import type { ServerId } from "../../../core/ids.ts";
import type { Server } from "../../../core/server.ts";
import type { ServerStore } from "../../store.ts";
import type { ResultCache } from "../messages/result-cache.ts";
import type { WriterCalls } from "../threads/calls.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";

/** Dependencies of {@link createServerStore}. */
export interface ServerStoreDependencies {
  readonly writer: Thread<WriterCalls>;
  readonly local: LocalReads;
  readonly cache: ResultCache;
  /** Called when a server was deleted. */
  readonly onDeleted: () => Promise<void>;
}

/** Servers that are known to exist without a query: every recipient of a mail asks for one. */
const presentCountMax = 10_000;

/** Creates the store of servers, whose records are cached until they change. */
export function createServerStore({ writer, local, cache, onDeleted }: ServerStoreDependencies): ServerStore {
  const get = (id: ServerId): Server | undefined => {
    local.requireOpen();
    const cached = cache.getServerRecord(id);
    if (cached !== undefined) return cached;
    const server = local.read(({ servers }) => servers.get(id));
    if (server !== undefined) cache.setServerRecord(server);
    return server;
  };
  const present = new Set<ServerId>();
  const isPresent = async (id: ServerId): Promise<boolean> => {
    if (!local.read(({ servers }) => servers.has(id))) return false;
    if (present.size >= presentCountMax) present.clear();
    present.add(id);
    return true;
  };
  return {
    createServer: async (server) => writer.call("createServer", [server]),
    listServers: async () => local.read(({ servers }) => servers.list()),
    getServer: async (id) => get(id),
    hasServer: (id) => (present.has(id) && local.isOpen) || isPresent(id),
    findOldestServer: async () => local.read(({ servers }) => servers.oldest()),
    listServersForMaintenance: async (now) => local.read(({ servers }) => servers.toTend(now)),
    getServerPassword: async (id) => local.read(({ servers }) => servers.password(id)),
    setServerPassword: async (id, password, present) => writer.call("setServerPassword", [id, password, present]),
    updateServer: async (id, change) => {
      try {
        return await writer.call("updateServer", [id, change]);
      } finally {
        cache.forgetServer(id);
      }
    },
    deleteServer: async (id) => {
      try {
        const wasDeleted = await writer.call("deleteServer", [id]);
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

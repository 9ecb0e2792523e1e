import type { ServerId } from "../../../core/ids.ts";
import type { RecordStores } from "../../records/record-stores.ts";
import { withAfterCalls } from "../../sql/calls.ts";
import type { ResultCache } from "../messages/result-cache.ts";

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

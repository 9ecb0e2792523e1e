import type { Clock } from "../../../core/clock.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { ServerStore } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import type { OpenGate } from "../connection/open-gate.ts";
import { Servers } from "./servers.ts";

/** Dependencies of {@link createServerStore}. */
export interface ServerStoreDependencies {
  /** Every call of it passes the gate. */
  readonly database: Database;
  readonly gate: OpenGate;
  readonly clock: Clock;
  /** Called after messages became unreachable; `sequence` is the number of the change, null for a deleted server. */
  readonly onRemoved: (server: ServerId, sequence: number | null) => void;
}

/** Creates the part of the store that holds servers; also `emptyServer`, which changes nothing but the server's row. */
export function createServerStore(
  dependencies: ServerStoreDependencies,
): ServerStore & { readonly emptyServer: (id: ServerId) => Promise<number | undefined> } {
  const { database, gate, clock, onRemoved } = dependencies;
  const servers = new Servers(database, clock);
  return {
    createServer: async (server) => await servers.create(server),
    listServers: async () => await servers.list(),
    getServer: async (id) => await servers.get(id),
    hasServer: async (id) => await gate.pass(async () => await servers.has(id)),
    findOldestServer: async () => await servers.oldest(),
    listServersForMaintenance: async (now) => await servers.toTend(now),
    getServerPassword: async (id) => await servers.password(id),
    setServerPassword: async (id, password, present) => await servers.setPassword(id, password, present),
    updateServer: async (id, change) => await servers.update(id, change),
    deleteServer: async (id) => {
      const wasRemoved = await servers.remove(id);
      onRemoved(id, null);
      return wasRemoved;
    },
    emptyServer: async (id) => {
      const sequence = await servers.empty(id);
      if (sequence !== undefined) onRemoved(id, sequence);
      return sequence;
    },
  };
}

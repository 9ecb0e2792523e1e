import type { Clock } from "../../../core/clock.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { RecordStores } from "../../records/record-stores.ts";
import type { Database } from "../connection/database.ts";
import type { OpenGate } from "../connection/open-gate.ts";

/** Dependencies of {@link createServerStore}. */
export interface ServerStoreDependencies {
  /** Every call of it passes the gate. */
  readonly database: Database;
  readonly gate: OpenGate;
  readonly clock: Clock;
  /** Called after messages became unreachable; `sequence` is the number of the change, null for a deleted server. */
  readonly onRemoved: (server: ServerId, sequence: number | null) => void;
}

type Servers = Pick<RecordStores, "hasServer" | "deleteServer" | "emptyServer">;

const cacheMs = 1000;
const seenCountMax = 10_000;

/** Creates the store of servers, which caches for a second that a server exists. */
export function createServerStore(servers: Servers, { gate, clock, onRemoved }: ServerStoreDependencies): Servers {
  /** Servers that exist, with the monotonic time at which each entry expires. */
  const seenUntil = new Map<ServerId, number>();
  let removalCount = 0;
  const hasServer = async (id: ServerId): Promise<boolean> => {
    const now = clock.monotonicMs();
    if (now < (seenUntil.get(id) ?? 0)) return true;
    const countBefore = removalCount;
    const isPresent = await servers.hasServer(id);
    if (seenUntil.size >= seenCountMax) seenUntil.clear();
    if (isPresent && countBefore === removalCount) seenUntil.set(id, now + cacheMs);
    return isPresent;
  };
  return {
    hasServer: async (id) => await gate.pass(async () => await hasServer(id)),
    deleteServer: async (id, idleSince) => {
      const wasRemoved = await servers.deleteServer(id, idleSince);
      if (!wasRemoved && idleSince !== undefined) return false;
      removalCount += 1;
      seenUntil.delete(id);
      onRemoved(id, null);
      return wasRemoved;
    },
    emptyServer: async (id) => {
      const sequence = await servers.emptyServer(id);
      if (sequence !== undefined) onRemoved(id, sequence);
      return sequence;
    },
  };
}

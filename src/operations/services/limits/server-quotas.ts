import { Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import { defaultQuota, type Limits } from "../../../core/limits.ts";
import { requireRoom } from "../../../core/server-quota.ts";
import type { Store } from "../../../store/store.ts";

/** Early rejection and counting for storage quotas, which the store enforces. */
export interface ServerQuotas {
  /** Records servers of a mail that the store rejected with `quota_exceeded`, for {@link requireRoom}. */
  readonly suspect: (servers: readonly ServerId[]) => void;
  /**
   * Rejects with `quota_exceeded` when a recorded server is over quota for a message of at least `sizeBytes`, so that a mail
   * reaches its other recipients. Null when the server is not recorded; the store decides finally.
   */
  readonly requireRoom: (server: ServerId, sizeBytes: number) => Promise<void> | null;
  /** Rethrows the error, and counts it when it is `quota_exceeded`. */
  readonly countRefusal: (error: unknown) => never;
}

/** Part of the store that shows how full servers are. */
export interface QuotaStore extends Pick<Store, "getServer"> {
  readonly scheduledMessages: Pick<Store["scheduledMessages"], "measureHeldMessages">;
}

interface Dependencies {
  readonly store: QuotaStore;
  readonly limits: Pick<Limits, "serverMessagesMax" | "serverBytesMax">;
  readonly onRefused: () => void;
}

/** Maximum number of recorded servers; the oldest is evicted first. */
const suspectCountMax = 10_000;

/** Creates an empty record of servers over quota. */
export function createServerQuotas({ store, limits, onRefused }: Dependencies): ServerQuotas {
  const suspects = new Set<ServerId>();
  const fallback = defaultQuota(limits);
  const countRefusal = (error: unknown): never => {
    if (error instanceof Problem && error.code === "quota_exceeded") onRefused();
    throw error;
  };
  const lookAt = async (id: ServerId, bytes: number): Promise<void> => {
    const server = await store.getServer(id);
    if (server === undefined) {
      suspects.delete(id);
      return;
    }
    const held = await store.scheduledMessages.measureHeldMessages(id);
    const used = { messages: server.messages + held.messages, bytes: server.bytes + held.bytes };
    requireRoom(id, { used, added: { messages: 1, bytes } }, { own: server.quota, fallback });
  };
  return {
    suspect: (servers) => {
      for (const server of servers) {
        suspects.delete(server);
        suspects.add(server);
      }
      for (const oldest of suspects) {
        if (suspects.size <= suspectCountMax) break;
        suspects.delete(oldest);
      }
    },
    requireRoom: (server, sizeBytes) => (suspects.has(server) ? lookAt(server, sizeBytes).catch(countRefusal) : null),
    countRefusal,
  };
}

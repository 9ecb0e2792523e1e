import type { Clock } from "../../../core/clock.ts";
import { Problem, type ReachedLimit } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import { defaultQuota, int32Max, type Limits } from "../../../core/limits.ts";
import { dayOf, requireRoom, startOfDay } from "../../../core/server.ts";
import { hasTeamQuota, requireTeamRoom } from "../../../core/team-limits.ts";
import type { Store } from "../../../store/store.ts";

/** Early rejection and counting for storage quotas, which the store enforces. */
interface ServerQuotas {
  /** Records servers of a mail that the store rejected with `quota_exceeded`, for {@link requireRoom}. */
  readonly suspect: (servers: readonly ServerId[]) => void;
  /**
   * Rejects with `quota_exceeded` when a recorded server is over quota for a message of at least `sizeBytes`, so that a mail
   * reaches its other recipients. Null when the server is not recorded; the store decides finally.
   */
  readonly requireRoom: (server: ServerId, sizeBytes: number) => Promise<void> | null;
  /** Rethrows the error, and counts it when it names a limit. */
  readonly countRefusal: (error: unknown) => never;
}

/** Part of the store that shows how full servers are. */
interface QuotaStore extends Pick<Store, "getServer"> {
  readonly teamLimits: Pick<Store["teamLimits"], "getTeamLimits" | "measureTeam">;
  readonly scheduledMessages: Pick<Store["scheduledMessages"], "measureHeldMessages">;
}

interface ServerQuotaDependencies {
  readonly store: QuotaStore;
  readonly limits: Pick<Limits, "serverMessagesMax" | "serverBytesMax">;
  readonly onRefused: (limit: ReachedLimit) => void;
}

/** Maximum number of recorded servers; the oldest is evicted first. */
const suspectCountMax = 10_000;

/** Creates an empty record of servers over quota. */
function createServerQuotas({ store, limits, onRefused }: ServerQuotaDependencies): ServerQuotas {
  const suspects = new Set<ServerId>();
  const fallback = defaultQuota(limits);
  const countRefusal = (error: unknown): never => {
    if (error instanceof Problem && error.limit !== null) onRefused(error.limit);
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
    const added = { messages: 1, bytes };
    requireRoom(`Server ${id}`, { used, added }, { own: server.quota, fallback });
    if (server.team === null) return;
    const limits = await store.teamLimits.getTeamLimits(server.team);
    if (!hasTeamQuota(limits)) return;
    requireTeamRoom(id, limits, { used: await store.teamLimits.measureTeam(server.team), added });
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

/** Kind of message with a daily limit. */
export type QuotaKind = "email" | "sms";

/** Daily limits on stored messages (UTC). */
export interface Quotas extends Pick<ServerQuotas, "suspect" | "requireRoom"> {
  /**
   * Runs `store`, which stores `count` messages, within the daily limit. Rejects with `limit_reached` and stores nothing when
   * the limit is exceeded; a failed `store` does not count. Exact for one process; processes that share a store may together
   * exceed the limit by what they store within {@link recountMs}. No cost without a limit.
   */
  spend<Result>(kind: QuotaKind, count: number, store: () => Promise<Result>): Promise<Result>;
}

interface Dependencies {
  readonly store: Pick<Store, "listUsage"> & QuotaStore;
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  readonly limits: Pick<Limits, "emailCountPerDayMax" | "smsCountPerDayMax" | "serverMessagesMax" | "serverBytesMax">;
  /** Called on every rejection. */
  readonly onRefused?: (limit: ReachedLimit) => void;
  /** True when other processes use the same store. */
  readonly isShared?: boolean;
}

/** Interval in milliseconds at which processes that share a store count its messages. */
export const recountMs = 2000;

/** Creates the quotas, starting from the counts in the store. */
export function createQuotas({
  store,
  clock,
  limits,
  onRefused = () => undefined,
  isShared = false,
}: Dependencies): Quotas {
  const maxima: Readonly<Record<QuotaKind, number>> = {
    email: limits.emailCountPerDayMax,
    sms: limits.smsCountPerDayMax,
  };
  let current: Promise<Day> | undefined;
  let currentDay = Number.NaN;
  let countedAt = -Infinity;
  const underWay: Day = { email: 0, sms: 0 };

  const today = (): Promise<Day> => {
    const now = clock.now();
    const isStale = dayOf(now) !== currentDay || (isShared && clock.monotonicMs() - countedAt >= recountMs);
    if (current === undefined || isStale) {
      currentDay = dayOf(now);
      countedAt = clock.monotonicMs();
      current = store.listUsage(currentDay).then(([counted]) => {
        return { email: (counted?.email ?? 0) + underWay.email, sms: (counted?.sms ?? 0) + underWay.sms };
      });
      // The caller receives the rejection; the next call retries.
      current.catch(() => (current = undefined));
    }
    return current;
  };
  const refuse = (kind: QuotaKind): never => {
    onRefused(kind);
    const untilTomorrowMs = startOfDay(dayOf(clock.now()) + 1) - clock.now();
    const what = kind === "email" ? "mails" : "SMS";
    throw new Problem("limit_reached", {
      text: `The daily limit of ${maxima[kind]} ${what} is reached`,
      retryAfterSeconds: Math.ceil(untilTomorrowMs / 1000),
    });
  };

  const servers = createServerQuotas({ store, limits, onRefused });

  return {
    async spend<Result>(kind: QuotaKind, count: number, run: () => Promise<Result>) {
      const store = (): Promise<Result> => run().catch(servers.countRefusal);
      if (maxima[kind] === int32Max) return store();
      const used = await today();
      if (used[kind] + count > maxima[kind]) return refuse(kind);
      used[kind] += count;
      underWay[kind] += count;
      try {
        return await store();
      } catch (error) {
        used[kind] -= count;
        throw error;
      } finally {
        underWay[kind] -= count;
      }
    },
    suspect: servers.suspect,
    requireRoom: servers.requireRoom,
  };
}

type Day = Record<QuotaKind, number>;

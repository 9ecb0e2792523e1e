import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { int32Max, type Limits } from "../../../core/limits.ts";
import { dayOf, startOfDay } from "../../../core/usage.ts";
import type { Store } from "../../../store/store.ts";
import { createServerQuotas, type QuotaStore, type ServerQuotas } from "./server-quotas.ts";

/** Kind of message with a daily limit. */
export type QuotaKind = "email" | "sms";

/** Kind of quota, for metrics: `server` is the storage quota of a server. */
export type RefusedQuota = QuotaKind | "server";

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
  readonly onRefused?: (kind: RefusedQuota) => void;
  /** True when other processes use the same store. */
  readonly isShared?: boolean;
}

/** Interval in milliseconds at which processes that share a store count its messages. */
export const recountMs = 2000;

/** Creates the quotas, starting from the counts in the store. */
export function createQuotas({ store, clock, limits, onRefused, isShared = false }: Dependencies): Quotas {
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
    onRefused?.(kind);
    const untilTomorrowMs = startOfDay(dayOf(clock.now()) + 1) - clock.now();
    const what = kind === "email" ? "mails" : "texts";
    throw new Problem("limit_reached", {
      text: `The daily limit of ${maxima[kind]} ${what} is reached`,
      retryAfterSeconds: Math.ceil(untilTomorrowMs / 1000),
    });
  };

  const onFull = (): void => onRefused?.("server");
  const servers = createServerQuotas({ store, limits, onRefused: onFull });

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

import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import { int32Max } from "../../core/limits.ts";
import { dayOf, startOfDay } from "../../core/server.ts";
import { build, refer, type ValueOf } from "../../core/schema.ts";
import { monthBefore, monthOf } from "../../core/usage.ts";
import type { AuditPage } from "../../store/account-store.ts";
import type { Context } from "../context.ts";
import { requireAccount } from "../services/security/access.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { leasedQueues, quarantineReason, type LeasedQueueName } from "../../core/quarantine.ts";
import type { QuarantinedWork } from "../../store/leased-queue.ts";

const count = build.integer({ minimum: 0, maximum: int32Max });
const limit = refer(build.object({ limit: count, current: count }, { $id: "UsageLimit" }));

/** Schema of the limits of the account and their current usage. */
export const usageLimitsSchema = build.object(
  { servers: limit, users: limit, email: limit, sms: limit },
  { $id: "UsageLimits" },
);

/**
 * Limits of the account and their current usage: servers, distinct users of all servers, and mails and SMS per day (UTC).
 * An unlimited one is the largest 32-bit integer.
 */
export type UsageLimits = ValueOf<typeof usageLimitsSchema>;

/** Messages stored within one day (UTC). */
export interface UsageTransaction {
  /** Start of the day in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly email: number;
  readonly sms: number;
}

const dayCount = 31;
/** Minimum number of rows: tests of the official libraries read the second one. */
const dayCountMin = 2;

/** Returns the limits and their usage. Rejects with `forbidden`. */
export async function getUsageLimits(context: Context, principal: Principal): Promise<UsageLimits> {
  requireAccount(principal);
  const { store, limits, clock } = context;
  const [today] = await store.listUsage(dayOf(clock.now()));
  const servers = await store.listServers();
  const users = new Set(servers.flatMap((server) => server.users));
  return {
    servers: { limit: limits.serverCountMax, current: fit(servers.length) },
    users: { limit: int32Max, current: fit(users.size) },
    email: { limit: limits.emailCountPerDayMax, current: fit(today?.email ?? 0) },
    sms: { limit: limits.smsCountPerDayMax, current: fit(today?.sms ?? 0) },
  };
}

/**
 * Returns the last 31 days, today first: one row per day since the first with a message, and at least two. Rejects with `forbidden`.
 */
export async function listTransactions(context: Context, principal: Principal): Promise<readonly UsageTransaction[]> {
  requireAccount(principal);
  const today = dayOf(context.clock.now());
  const counted = await context.store.listUsage(today - dayCount + 1);
  const byDay = new Map(counted.map((one) => [one.day, one]));
  const oldest = Math.min(counted[0]?.day ?? today, today - dayCountMin + 1);
  return Array.from({ length: today - oldest + 1 }, (_, age) => {
    const { email = 0, sms = 0 } = byDay.get(today - age) ?? {};
    return { timestamp: startOfDay(today - age), email: fit(email), sms: fit(sms) };
  });
}

const daysKept = 3 * 366;
/** Days that one call merges. */
const compactedDayCountMax = 100;

/** Keeps only teams of the usage before the last month, and nothing older than three years. */
export async function compactUsage({ store, clock }: Pick<Context, "store" | "clock">): Promise<void> {
  const now = clock.now();
  const before = monthBefore(monthOf(now)).firstDay;
  for (let count = 0; count < compactedDayCountMax; count += 1) {
    if (!(await store.compactUsage(dayOf(now) - daysKept, before))) return;
  }
}

function fit(count: number): number {
  return Math.min(count, int32Max);
}

/** Returns a page of the audit log, of one user if given, newest first; rejects with `forbidden`. */
export async function listAudit(
  { store }: Context,
  principal: Principal,
  { page, itemsPerPage, user }: Pick<Page, "page" | "itemsPerPage"> & { readonly user?: string },
): Promise<AuditPage> {
  requireAccount(principal);
  return await store.audit.listAudit(page, itemsPerPage, user);
}

// Quarantined work of all queues, for the operator of the service.

/** Quarantined work as the API shows it. */
export interface ShownQuarantine extends Omit<QuarantinedWork, "quarantinedAt"> {
  /** Server of the message; null without a message. */
  readonly server: string | null;
  readonly reason: string;
  /** ISO 8601. */
  readonly quarantined: string;
}

/** Which quarantined work is retried; absent members match all. */
export interface RetryRequest {
  readonly queue?: LeasedQueueName;
  readonly id?: string;
}

/** Returns quarantined work of all queues, at most `quarantineListCountMax`, and how much there is. Rejects with `forbidden`. */
export async function listQuarantined(
  { store }: Context,
  principal: Principal,
): Promise<{ readonly works: readonly ShownQuarantine[]; readonly total: number }> {
  requireAccount(principal);
  const counts = Object.values(await store.quarantine.countQuarantined());
  const works = (await store.quarantine.listQuarantined()).map(showQuarantine);
  return { works, total: counts.reduce((sum, count) => sum + count, 0) };
}

/** Makes quarantined work due again, at most `quarantineListCountMax` pieces; returns their number. Rejects with `forbidden`. */
export async function retryQuarantined(
  { store, clock, ...context }: Context,
  principal: Principal,
  { queue: wantedQueue, id: wantedId }: RetryRequest,
): Promise<number> {
  requireAccount(principal);
  const wanted = (await store.quarantine.listQuarantined()).filter(
    ({ queue, id }) => (wantedQueue ?? queue) === queue && (wantedId ?? id) === id,
  );
  let count = 0;
  for (const queue of leasedQueues) {
    const ids = wanted.filter((work) => work.queue === queue).map(({ id }) => id);
    if (ids.length > 0) count += await store.quarantine.releaseQuarantined(queue, ids, clock.now());
  }
  context.wakeOutbox();
  context.wakeCallbacks();
  context.wakeScans();
  return count;
}

function showQuarantine({ quarantinedAt, ...work }: QuarantinedWork): ShownQuarantine {
  const server = work.message === null ? null : decodeMessageId(work.message).server;
  return { ...work, server, reason: quarantineReason, quarantined: new Date(quarantinedAt).toISOString() };
}

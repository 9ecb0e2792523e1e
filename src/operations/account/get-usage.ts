import type { Principal } from "../../core/api-key.ts";
import { int32Max } from "../../core/limits.ts";
import { dayOf, startOfDay } from "../../core/usage.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** A limit of the account and how much of it is used; both fit 32 bits. */
export interface UsageLimit {
  readonly limit: number;
  readonly current: number;
}

/** The account's limits. Those that the operator has not set are the largest number that fits. */
export interface UsageLimits {
  readonly servers: UsageLimit;
  /** Distinct users that servers name; not limited. */
  readonly users: UsageLimit;
  /** Mails of the day (UTC). */
  readonly email: UsageLimit;
  /** Texts of the day (UTC). */
  readonly sms: UsageLimit;
}

/** What was stored within one day of UTC. */
export interface UsageTransaction {
  /** First instant of the day, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly email: number;
  readonly sms: number;
}

const dayCount = 31;
/** So many days are always there: libraries' tests read the second row. */
const dayCountMin = 2;

/** The limits; rejects with `forbidden`. */
export async function getUsageLimits(
  context: Pick<Context, "store" | "clock" | "limits">,
  principal: Principal,
): Promise<UsageLimits> {
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
 * The last 31 days, today first: one row for each day since the first on which anything was stored, and at least two.
 * Rejects with `forbidden`.
 */
export async function listTransactions(
  context: Pick<Context, "store" | "clock">,
  principal: Principal,
): Promise<readonly UsageTransaction[]> {
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

function fit(count: number): number {
  return Math.min(count, int32Max);
}

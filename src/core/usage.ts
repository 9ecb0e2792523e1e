/** Usage: what servers stored and sent, by day and by the team that owned them then. */
import type { ServerId } from "./ids.ts";
import { dayOf, startOfDay } from "./server.ts";

/** Counts of messages and deliveries. Deleting a message does not lower them. */
export interface UsageCounts {
  /** Mails stored, once per server. */
  readonly email: number;
  readonly sms: number;
  /** Bytes of these messages, by `storedBytes`. */
  readonly bytes: number;
  /** Deliveries that left or were to leave, one per recipient. */
  readonly outbound: number;
}

/** Names of the counts. */
export const usageCountNames = ["email", "sms", "bytes", "outbound"] as const satisfies readonly (keyof UsageCounts)[];

/** No usage. */
export const noUsage: UsageCounts = { email: 0, sms: 0, bytes: 0, outbound: 0 };

/** Usage of a team on a day; `team` is null for servers without one. */
export interface TeamDayUsage extends UsageCounts {
  /** Days since 1970-01-01 (UTC). */
  readonly day: number;
  readonly team: string | null;
}

/** Usage of a server as a server of a team; `server` is null for days of which only teams are kept. */
export interface ServerUsageCounts extends UsageCounts {
  readonly team: string | null;
  readonly server: ServerId | null;
}

/** Returns the sum of two counts. */
export function addUsage(one: UsageCounts, other: UsageCounts): UsageCounts {
  return {
    email: one.email + other.email,
    sms: one.sms + other.sms,
    bytes: one.bytes + other.bytes,
    outbound: one.outbound + other.outbound,
  };
}

/** Calendar month (UTC). */
export interface Month {
  /** `2026-11`. */
  readonly name: string;
  /** First day, in days since 1970-01-01, and the first one after the month. */
  readonly firstDay: number;
  readonly endDay: number;
}

/** Returns the month of an instant in milliseconds since the Unix epoch. */
export function monthOf(instantMs: number): Month {
  const date = new Date(instantMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: new Date(Date.UTC(year, month)).toISOString().slice(0, 7),
    firstDay: dayOf(Date.UTC(year, month)),
    endDay: dayOf(Date.UTC(year, month + 1)),
  };
}

/** Returns the month with a name such as `2026-11`, of the years 1970…9998; undefined for other texts. */
export function parseMonth(name: string): Month | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined || year < "1970" || year > "9998") return undefined;
  return monthOf(Date.UTC(Number(year), Number(month) - 1));
}

/** Returns the month before a month. */
export function monthBefore({ firstDay }: Month): Month {
  return monthOf(startOfDay(firstDay - 1));
}

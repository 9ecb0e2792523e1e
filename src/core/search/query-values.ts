/** Instants and sizes of search queries. */

const msPerUnit: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const dayMs = 86_400_000;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Instant and time zone from which dates are read. */
export interface QueryClock {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** IANA name of the time zone of dates without one; UTC by default. */
  readonly timeZone?: string | undefined;
}

/**
 * Reads an instant: `2026-11-20`, with a time and an offset where given, `20 Nov 2026`, `11/20/2026`, `today`, `yesterday`, a
 * duration before now (`90s`, `15m`, `2h`, `7d`, `2w`), or seconds or milliseconds since the Unix epoch. Undefined for
 * anything else.
 */
export function parseInstant(text: string, clock: QueryClock): number | undefined {
  const value = text.trim().toLowerCase();
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(value) ?? [];
  if (count !== undefined) return clock.now - Number(count) * (msPerUnit[unit] ?? 0);
  if (value === "now") return clock.now;
  if (value === "today") return startOfDay(clock.now, clock);
  if (value === "yesterday") return startOfDay(startOfDay(clock.now, clock) - 1, clock);
  if (/^\d{10}$/.test(value)) return Number(value) * 1000;
  if (/^\d{12,13}$/.test(value)) return Number(value);
  return parseDate(value, clock);
}

function parseDate(value: string, clock: QueryClock): number | undefined {
  const [date, time, zone] = splitTime(value);
  const day = dayOf(date);
  if (day === undefined) return undefined;
  const local = day + (time === undefined ? 0 : timeOf(time));
  if (Number.isNaN(local)) return undefined;
  return zone === undefined ? fromLocal(local, clock) : local - offsetOf(zone);
}

function splitTime(value: string): readonly [string, (string | undefined)?, (string | undefined)?] {
  const match = /^(.*?)[t ](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(z|utc|[+-]\d{2}:?\d{2})?$/.exec(value);
  return match === null ? [value] : [match[1] ?? "", match[2], match[3]];
}

/** Returns midnight of a date as if in UTC. */
function dayOf(date: string): number | undefined {
  const numeric = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?$/.exec(date);
  if (numeric !== null) return utc(Number(numeric[1]), Number(numeric[2]), Number(numeric[3] ?? 1));
  if (/^\d{4}$/.test(date)) return utc(Number(date), 1, 1);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(date);
  if (american !== null) return utc(Number(american[3]), Number(american[1]), Number(american[2]));
  const named = /^(\d{1,2})[ -]([a-z]{3})[a-z]*\.?[ -](\d{4})$/.exec(date);
  const namedFirst = /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/.exec(date);
  const [day, month = "", year] = named?.slice(1) ?? [namedFirst?.[2], namedFirst?.[1], namedFirst?.[3]];
  return day === undefined ? undefined : utc(Number(year), months.indexOf(month) + 1, Number(day));
}

/** Returns undefined for dates that do not exist. */
function utc(year: number, month: number, day: number): number | undefined {
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() : undefined;
}

function timeOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  if (hours > 23 || minutes > 59 || seconds >= 60) return Number.NaN;
  return Math.floor(((hours * 60 + minutes) * 60 + seconds) * 1000);
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

function startOfDay(at: number, clock: QueryClock): number {
  const local = at + zoneOffset(at, clock.timeZone);
  return fromLocal(local - (((local % dayMs) + dayMs) % dayMs), clock);
}

/** Returns the instant at which clocks of the time zone show a local time. */
function fromLocal(local: number, { timeZone }: QueryClock): number {
  const first = local - zoneOffset(local, timeZone);
  return local - zoneOffset(first, timeZone);
}

function zoneOffset(at: number, timeZone: string | undefined): number {
  if (timeZone === undefined || timeZone === "UTC") return 0;
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - Math.floor(at / 1000) * 1000;
}

/** Returns whether a time zone is known. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    // A RangeError means that the name is unknown.
    return false;
  }
}

/** Reads a size: bytes, or with `k`, `kB`, `M` or `MB` in units of 1024. Undefined for anything else, and for 0. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,15}(?:\.\d{1,9})?)\s?([a-z]{1,2})?$/.exec(text.trim().toLowerCase()) ?? [];
  const factor = { "": 1, b: 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2 }[unit];
  if (digits === undefined || factor === undefined) return undefined;
  return Math.floor(Number(digits) * factor) || undefined;
}

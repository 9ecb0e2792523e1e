import { stripComments } from "./parameters.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Obsolete zone names (RFC 5322 §4.3) in minutes east of Greenwich; single letters and unknown names mean UTC. */
const namedZones: ReadonlyMap<string, number> = new Map([
  ["EST", -300],
  ["EDT", -240],
  ["CST", -360],
  ["CDT", -300],
  ["MST", -420],
  ["MDT", -360],
  ["PST", -480],
  ["PDT", -420],
]);

const pattern =
  /^(?:[a-z]{2,9}\.?\s?,?\s?)?(\d{1,2})[\s-]{1,9}([a-z]{3})[a-z]{0,6}\.?[\s-]{1,9}(\d{2,4}),?\s{1,9}(\d{1,2})\s?:\s?(\d{1,2})(?:\s?:\s?(\d{1,2})(?:\.\d{1,9})?)?\s{0,9}([+-]\d{1,4}|[a-z]{1,5})?/i;
const lengthMax = 500;

/**
 * Parses a Date field (RFC 5322 §3.3, obsolete forms of §4.3: named zones, years of two and three digits, comments).
 * Returns milliseconds since the epoch; null if the value is not a date. A missing zone means UTC.
 */
export function parseHeaderDate(text: string): number | null {
  const match = matchDate(text);
  if (match === null) return null;
  const [, , , , hour = "", minute = "", second = "0", zone = "+0000"] = match;
  const midnight = writtenDay(match);
  const time = timeOf(Number(hour), Number(minute), Number(second));
  return midnight === null || time === null ? null : midnight + time - zoneMinutes(zone) * 60_000;
}

/** Returns the day of a Date field as written, without its zone, as midnight in UTC; null if the value is not a date. */
export function parseHeaderDay(text: string): number | null {
  const match = matchDate(text);
  return match === null ? null : writtenDay(match);
}

function matchDate(text: string): RegExpExecArray | null {
  return pattern.exec(stripComments(text.slice(0, lengthMax), " ").replaceAll(/\s+/g, " ").trim());
}

function writtenDay([, day = "", monthName = "", year = ""]: RegExpExecArray): number | null {
  return midnightOf(Number(day), months.indexOf(monthName.toLowerCase()), fullYear(year));
}

/**
 * Returns milliseconds since midnight; null for an invalid time. A leap second is the first second of the next minute.
 */
function timeOf(hour: number, minute: number, second: number): number | null {
  return hour > 23 || minute > 59 || second > 60 ? null : ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Returns midnight of a day; null for an invalid day. `month` starts at 0. */
function midnightOf(day: number, month: number, year: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : null;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

function zoneMinutes(zone: string): number {
  const named = namedZones.get(zone.toUpperCase());
  if (named !== undefined) return named;
  const digits = zone.slice(1).padStart(4, "0");
  if (zone.startsWith("+") || zone.startsWith("-")) {
    const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
    return zone.startsWith("-") ? -minutes : minutes;
  }
  return 0;
}

/**
 * Replaces comments (RFC 5322 §3.2.2), including nested ones, by `instead`; one that is never closed extends to the
 * end.
 */
export function withoutComments(text: string, instead = ""): string {
  if (!text.includes("(")) return text;
  let stripped = "";
  let depth = 0;
  let from = 0;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (character === "\\" && depth > 0) position += 1;
    else if (character === "(") {
      if (depth === 0) stripped += text.slice(from, position) + instead;
      depth += 1;
    } else if (character === ")" && depth > 0) {
      depth -= 1;
      from = position + 1;
    }
  }
  return depth === 0 ? stripped + text.slice(from) : stripped;
}

/** Date as a mail states it. */
interface MailDate {
  /** Milliseconds since the Unix epoch, within the years 1900 to 9999 also in the zone of the mail. */
  readonly instant: number;
  /** Of the zone, in minutes east of Greenwich, less than a day; 0 without a zone. */
  readonly offsetMinutes: number;
}

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

const lengthMax = 500;
const [instantMin, instantMax] = [Date.UTC(1900, 0), Date.UTC(10_000, 0) - 1];
const weekday = String.raw`(?:[a-z]{2,9}\.?\s?,?\s?)?`;
const month = String.raw`(?<month>[a-z]{3})[a-z]{0,6}\.?`;
const time = String.raw`(?<hour>\d{1,2})\s?[:.]\s?(?<minute>\d{1,2})(?:\s?[:.]\s?(?<second>\d{1,2})(?:[.,]\d{1,9})?)?(?:\s?(?<half>[ap])\.?m\b\.?)?`;
/** Numbers win over a name in front of them: GMT+0200. A name after them repeats or explains them. 0000 needs no sign. */
const zone = String.raw`(?:(?:[a-z]{1,5}\s?)?(?<sign>[+-])\s?(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?(?:\s[a-z]{1,5})?|(?<zone>[a-z]{1,5}|0000))`;

/** Forms of dates that have one meaning only; white space is one blank, and comments are removed. */
const forms: readonly RegExp[] = [
  // RFC 5322 §3.3 and §4.3, RFC 850: Fri, 20 Nov 2026 10:42:07 +0000; Friday, 20-Nov-26 10:42:07 GMT
  String.raw`${weekday}(?<day>\d{1,2})[\s-]{1,3}${month}[\s-]{1,3}(?<year>\d{2,4}),?\s${time}(?:\s?${zone})?`,
  // JavaScript, and North American order: Fri Nov 20 2026 10:42:07 GMT+0200; November 20, 2026 10:42 AM
  String.raw`${weekday}${month}\s(?<day>\d{1,2}),?\s(?<year>\d{4}),?\s${time}(?:\s?${zone})?`,
  // asctime of C and date of Unix: Fri Nov 20 10:42:07 2026; Fri Nov 20 10:42:07 CET 2026
  String.raw`${weekday}${month}\s(?<day>\d{1,2})\s${time}(?:\s${zone})?\s(?<year>\d{4})`,
  String.raw`${weekday}${month}\s(?<day>\d{1,2})\s${time}\s(?<year>\d{4})\s${zone}`,
  // ISO 8601 and RFC 3339: 2026-11-20T10:42:07+02:00
  String.raw`(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:T|\s)${time}(?:\s?${zone})?`,
].map((form) => new RegExp(`^${form}[.;]?$`, "i"));

/** RFC 5322 §3.3, and the zones of §4.3 that mailers still write; comments are removed. */
const standardForm =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ?)?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|UT|GMT|[ECMP][SD]T)$/i;

/**
 * Reads a date of a mail: a Date field (RFC 5322 §3.3, obsolete forms of §4.3: named zones, years of two and three digits,
 * comments), and other forms that have one meaning only: ISO 8601, asctime, dots in times, AM and PM, zones such as `+02:00` and
 * `GMT+0200`. A missing zone means UTC. Null for anything else, for days that do not exist, zones of a day or more, and years
 * before 1900.
 */
export function readMailDate(text: string): MailDate | null {
  const normal = normalized(text);
  for (const form of forms) {
    const fields = form.exec(normal)?.groups;
    if (fields !== undefined) return dateOf(fields);
  }
  return null;
}

/** Returns whether a date is written as RFC 5322 demands (§3.3), or with a zone name of §4.3. */
export function isStandardMailDate(text: string): boolean {
  return standardForm.test(normalized(text)) && readMailDate(text) !== null;
}

/** Returns the day of a date as written, without its zone, as midnight in UTC; null if the text is not a date. */
export function readMailDay(text: string): number | null {
  const date = readMailDate(text);
  return date === null ? null : Math.floor((date.instant + date.offsetMinutes * 60_000) / 86_400_000) * 86_400_000;
}

function normalized(text: string): string {
  return withoutComments(text.slice(0, lengthMax), " ").replaceAll(/\s+/g, " ").trim();
}

function dateOf(fields: Readonly<Record<string, string | undefined>>): MailDate | null {
  const number = (name: string): number => Number(fields[name] ?? 0);
  const midnight = midnightOf(fullYear(fields["year"] ?? ""), monthOf(fields["month"] ?? ""), number("day"));
  const ofDay = timeOf(hourOf(number("hour"), fields["half"]), number("minute"), number("second"));
  const offsetMinutes = zoneMinutes(fields);
  if (midnight === null || ofDay === null || offsetMinutes === null) return null;
  const local = midnight + ofDay;
  const instant = local - offsetMinutes * 60_000;
  return isWithin(local) && isWithin(instant) ? { instant, offsetMinutes } : null;
}

function isWithin(instant: number): boolean {
  return instant >= instantMin && instant <= instantMax;
}

/** Returns the month from 0 of a name or of two digits; -1 for another name. */
function monthOf(text: string): number {
  return /^\d/.test(text) ? Number(text) - 1 : months.indexOf(text.toLowerCase());
}

/** Returns the hour from 0 to 23 of one with AM or PM; NaN where such an hour does not exist. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
}

/**
 * Returns milliseconds since midnight; null for an invalid time. A leap second is the first second of the next minute.
 */
function timeOf(hour: number, minute: number, second: number): number | null {
  return hour <= 23 && minute <= 59 && second <= 60 ? ((hour * 60 + minute) * 60 + second) * 1000 : null;
}

/** Returns midnight of a day; null for an invalid day. `monthIndex` starts at 0. */
function midnightOf(year: number, monthIndex: number, day: number): number | null {
  // Years below 100 would mean those of the last century.
  const date = new Date(Date.UTC(Math.max(year, 100), monthIndex, day));
  return date.getUTCMonth() === monthIndex && date.getUTCDate() === day ? date.getTime() : null;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

/** Returns minutes east of Greenwich; null for an offset of a day or more. */
function zoneMinutes(fields: Readonly<Record<string, string | undefined>>): number | null {
  const { sign, hours, minutes = "0", zone: name = "" } = fields;
  if (sign === undefined || hours === undefined) return namedZones.get(name.toUpperCase()) ?? 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const east = Number(hours) * 60 + Number(minutes);
  return sign === "-" && east > 0 ? -east : east;
}

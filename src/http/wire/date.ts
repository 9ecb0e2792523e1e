/** Dates with month names: RFC 5322 §3.3 (formerly RFC 2822), and the form of JavaScript's `Date.prototype.toString`. */

/** Fields of a date as written; numbers are not checked against the calendar. */
interface TextualDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** `Z` or `±hhmm`. */
  readonly offset: string;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = "(?:mon|tue|wed|thu|fri|sat|sun)";
const monthNames = months.join("|");
const time = "(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d))?";
/** A space where a URL lost the `+` of an offset. */
const numericOffset = "[+\\- ]\\d{4}";
/** RFC 5322 §3.3 and the named zones of §4.3. */
const internetDate = new RegExp(
  `^(?:${dayNames}, ?)?(?<day>\\d{1,2}) (?<month>${monthNames}) (?<year>\\d{4}) ${time} ` +
    `(?<offset>${numericOffset}|\\d{4}|gmt|utc?|z|[ecmp][sd]t)(?: \\([^()]{0,60}\\))?$`,
  "i",
);
/** ECMA-262 §21.4.4.41.1. */
const scriptDate = new RegExp(
  `^${dayNames} (?<month>${monthNames}) (?<day>\\d\\d) (?<year>\\d{4}) ${time} ` +
    `gmt(?<offset>${numericOffset})?(?: \\([^()]{0,60}\\))?$`,
  "i",
);
/** RFC 5322 §4.3. */
const namedOffsets: Readonly<Record<string, string>> = {
  edt: "-0400",
  est: "-0500",
  cdt: "-0500",
  cst: "-0600",
  mdt: "-0600",
  mst: "-0700",
  pdt: "-0700",
  pst: "-0800",
};

/** Returns the fields of a date with a month name; undefined for any other text. The day of the week is not checked. */
function readTextualDate(text: string): TextualDate | undefined {
  const fields = (internetDate.exec(text) ?? scriptDate.exec(text))?.groups;
  if (fields === undefined) return undefined;
  const number = (name: string): number => Number(fields[name] ?? 0);
  return {
    year: number("year"),
    month: months.indexOf((fields["month"] ?? "").toLowerCase()) + 1,
    day: number("day"),
    hour: number("hour"),
    minute: number("minute"),
    second: number("second"),
    offset: textualOffset((fields["offset"] ?? "").toLowerCase()),
  };
}

function textualOffset(zone: string): string {
  if (/^[ +]?\d{4}$/.test(zone)) return `+${zone.slice(-4)}`;
  return zone.startsWith("-") ? zone : (namedOffsets[zone] ?? "Z");
}

const epochMs = /^-?\d{1,16}$/;
const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+\- ]\d\d(?::?\d\d)?)?)?$/;
const instantMsMax = 8.64e15;

/**
 * Parses an instant into milliseconds since the Unix epoch, with a fraction when the text is more precise (truncated to
 * microseconds). Accepts integer epoch milliseconds; ISO 8601 calendar dates (RFC 3339 §5.6 and wider): a date alone
 * means its first moment, seconds are optional, 0 to 9 fraction digits, an offset `Z`, `±hh`, `±hhmm` or `±hh:mm`, UTC
 * without one; and dates with month names (see {@link readTextualDate}). A space replaces the `+` of an offset, as an
 * unescaped one does in a URL. Returns undefined for any other text and for days that do not exist.
 */
export function parseInstant(text: string): number | undefined {
  return epochMs.test(text) ? parseEpochMs(text) : (parseIso(text) ?? parseTextual(text));
}

function parseEpochMs(text: string): number | undefined {
  const ms = Number(text);
  return Math.abs(ms) <= instantMsMax ? ms : undefined;
}

function parseIso(text: string): number | undefined {
  const fields = iso.exec(text);
  if (fields === null) return undefined;
  const number = (at: number): number => Number(fields[at] ?? 0);
  const date = dayOf(number(1), number(2), number(3));
  const time = timeOf(number(4), number(5), number(6));
  const offset = offsetOf(fields[8] ?? "Z");
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  // A finer fraction would be rounded up to the next millisecond, and a message of that moment be missed.
  const microseconds = Number((fields[7] ?? "").padEnd(6, "0").slice(0, 6));
  return date + time - offset + microseconds / 1000;
}

function parseTextual(text: string): number | undefined {
  const fields = readTextualDate(text);
  if (fields === undefined) return undefined;
  const date = dayOf(fields.year, fields.month, fields.day);
  const time = timeOf(fields.hour, fields.minute, fields.second);
  const offset = offsetOf(fields.offset);
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  return date + time - offset;
}

function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : undefined;
}

function timeOf(hour: number, minute: number, second: number): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return ((hour * 60 + minute) * 60 + second) * 1000;
}

function offsetOf(text: string): number | undefined {
  if (text === "Z" || text === "z") return 0;
  const minutes = text.length === 3 ? "00" : text.slice(-2);
  const ms = timeOf(Number(text.slice(1, 3)), Number(minutes), 0);
  return ms === undefined ? undefined : text.startsWith("-") ? -ms : ms;
}

/** Dates with month names: RFC 5322 §3.3 (formerly RFC 2822), and the form of JavaScript's `Date.prototype.toString`. */

/** Fields of a date as written; numbers are not checked against the calendar. */
export interface TextualDate {
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
export function readTextualDate(text: string): TextualDate | undefined {
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
    offset: offsetOf((fields["offset"] ?? "").toLowerCase()),
  };
}

function offsetOf(zone: string): string {
  if (/^[ +]?\d{4}$/.test(zone)) return `+${zone.slice(-4)}`;
  return zone.startsWith("-") ? zone : (namedOffsets[zone] ?? "Z");
}

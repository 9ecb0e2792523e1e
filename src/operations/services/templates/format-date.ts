/** Dates in templates. */

const months = "January February March April May June July August September October November December".split(" ");
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const pad = (value: number, length = 2): string => String(value).padStart(length, "0");

/** Returns the instant of a template's value in milliseconds since the Unix epoch; null when it is no date. */
export function instantOf(value: unknown): number | null {
  const instant =
    typeof value === "number"
      ? value
      : typeof value === "string" && value.length <= 100
        ? Date.parse(value)
        : Number.NaN;
  return Number.isNaN(new Date(instant).getTime()) ? null : instant;
}

/** Returns minutes east of UTC of an offset such as `-0700` or `+05:30`; 0 for anything else. */
export function offsetMinutesOf(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  return sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

interface DateParts {
  readonly date: Date;
  readonly offset: number;
}

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const monthOf = (date: Date): string => months[date.getUTCMonth()] ?? "";
const dayOf = (date: Date): string => days[date.getUTCDay()] ?? "";

function offsetText(offset: number, separator: string): string {
  const minutes = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${pad(Math.trunc(minutes / 60))}${separator}${pad(minutes % 60)}`;
}

const tokens: Readonly<Record<string, (parts: DateParts) => string>> = {
  YYYY: ({ date }) => pad(date.getUTCFullYear(), 4),
  YY: ({ date }) => pad(date.getUTCFullYear() % 100),
  MMMM: ({ date }) => monthOf(date),
  MMM: ({ date }) => monthOf(date).slice(0, 3),
  MM: ({ date }) => pad(date.getUTCMonth() + 1),
  M: ({ date }) => String(date.getUTCMonth() + 1),
  DD: ({ date }) => pad(date.getUTCDate()),
  D: ({ date }) => String(date.getUTCDate()),
  dddd: ({ date }) => dayOf(date),
  ddd: ({ date }) => dayOf(date).slice(0, 3),
  HH: ({ date }) => pad(date.getUTCHours()),
  H: ({ date }) => String(date.getUTCHours()),
  hh: ({ date }) => pad(hour12(date)),
  h: ({ date }) => String(hour12(date)),
  mm: ({ date }) => pad(date.getUTCMinutes()),
  m: ({ date }) => String(date.getUTCMinutes()),
  ss: ({ date }) => pad(date.getUTCSeconds()),
  s: ({ date }) => String(date.getUTCSeconds()),
  SSS: ({ date }) => pad(date.getUTCMilliseconds(), 3),
  A: ({ date }) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  a: ({ date }) => (date.getUTCHours() < 12 ? "am" : "pm"),
  ZZ: ({ offset }) => offsetText(offset, ""),
  Z: ({ offset }) => offsetText(offset, ":"),
};

/** Formats an instant with the tokens `YYYY MM DD HH mm ss A Z …`; other characters stay. `offset` in minutes east of UTC. */
export function formatDate(instant: number, format: string, offset = 0): string {
  const date = new Date(instant + offset * 60_000);
  return format.replaceAll(/YYYY|YY|M{1,4}|DD?|d{3,4}|HH?|hh?|mm?|SSS|ss?|A|a|ZZ?/g, (token) =>
    (tokens[token] ?? (() => token))({ date, offset }),
  );
}

const layoutTokens: readonly (readonly [layout: string, token: string])[] = [
  ["2006", "YYYY"],
  ["January", "MMMM"],
  ["Monday", "dddd"],
  ["Jan", "MMM"],
  ["Mon", "ddd"],
  ["-0700", "ZZ"],
  ["-07:00", "Z"],
  ["01", "MM"],
  ["02", "DD"],
  ["15", "HH"],
  ["03", "hh"],
  ["04", "mm"],
  ["05", "ss"],
  ["06", "YY"],
  ["PM", "A"],
  ["pm", "a"],
  ["1", "M"],
  ["2", "D"],
  ["3", "h"],
  ["4", "m"],
  ["5", "s"],
];

/** Formats an instant in UTC with a layout of Go's package `time`, such as `02 Jan 2006`. */
export function formatLayout(instant: number, layout: string): string {
  const pattern = new RegExp(layoutTokens.map(([text]) => text).join("|"), "g");
  const known = new Map(layoutTokens);
  return layout.replaceAll(pattern, (text) => formatDate(instant, known.get(text) ?? ""));
}

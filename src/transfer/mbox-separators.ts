/** Separators of mbox files, in the forms that programs write. */

/** Facts of a separator. */
export interface Separator {
  /** Sender: "" for the null sender, null when there is none. */
  readonly mailFrom: string | null;
  /** Milliseconds since the Unix epoch; null when the separator has no time. */
  readonly receivedAt: number | null;
}

/** Name of the null sender. */
export const nullSender = "MAILER-DAEMON";
/** Name of a sender that is not known. */
export const unknownSender = "-";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const separatorBytesMax = 1000;

const weekday = String.raw`(?:[A-Z][a-z]{2},? +)?`;
const clock = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,9})?)?`;
const zone = String.raw`(?: +[A-Z]{1,5})?(?: *(?<zone>[+-]\d\d:?\d\d))?`;
/** Times at the end of a separator: of `asctime`, with a zone before or after the year; of RFC 5322; of ISO 8601. */
const times: readonly RegExp[] = [
  String.raw`${weekday}(?<month>[A-Z][a-z]{2}) +(?<day>\d{1,2}) +${clock}${zone} +(?<year>\d{4,6})(?: +(?<late>[+-]\d{4}|[A-Z]{1,5}))?`,
  String.raw`${weekday}(?<day>\d{1,2})[ -](?<month>[A-Z][a-z]{2})[ -](?<year>\d{4}) +${clock}${zone}`,
  String.raw`(?<year>\d{4})-(?<number>\d\d)-(?<day>\d\d)[T ]${clock}(?:Z|${zone})`,
].map((time) => new RegExp(String.raw`^From (?:(?<sender>\S+) +|.{0,500}? +|)${time} *\r?$`));
/** Without a time: a sender, and whatever follows it. */
const undated = /^From (?<sender>[^\s@]{1,200}@\S{1,300}|-|MAILER-DAEMON)(?:\s|$)/;
const headerField = /^[\x21-\x39\x3b-\x7e]{1,100}:/;

/**
 * Parses a line. `certain` separators end with a time; `possible` ones are separators only in front of a header field. Null for
 * any other line.
 */
export function readSeparator(line: Buffer): (Separator & { readonly kind: "certain" | "possible" }) | null {
  if (line.length > separatorBytesMax || line.toString("latin1", 0, 4) !== "From") return null;
  const text = line.toString("latin1");
  const timed = readTimed(text);
  if (timed !== null) return { kind: "certain", ...timed };
  const sender = undated.exec(text)?.groups?.["sender"];
  if (sender === undefined && text.trimEnd() !== "From") return null;
  return { kind: "possible", mailFrom: senderOf(sender), receivedAt: null };
}

function readTimed(text: string): Separator | null {
  for (const pattern of times) {
    const groups = pattern.exec(text)?.groups ?? {};
    const receivedAt = groups["year"] === undefined ? null : instantOf(groups);
    if (receivedAt !== null) return { mailFrom: senderOf(groups["sender"]), receivedAt };
  }
  return null;
}

/** Returns whether a line could be a separator that some program has written, and that {@link readSeparator} does not know. */
export function resemblesSeparator(line: Buffer): boolean {
  return line.length <= separatorBytesMax && /^From .*\d\d?:\d\d/.test(line.toString("latin1"));
}

/** Returns whether a line begins a header field (RFC 5322 §2.2). */
export function isHeaderField(line: Buffer): boolean {
  return headerField.test(line.toString("latin1", 0, 101));
}

function senderOf(sender: string | undefined): string | null {
  if (sender === undefined || sender === unknownSender) return null;
  return sender === nullSender ? "" : sender;
}

function instantOf(groups: Readonly<Record<string, string | undefined>>): number | null {
  const { month, number, zone: early, late, year, day, hour, minute, second } = groups;
  const monthIndex = month === undefined ? Number(number) - 1 : months.findIndex((one) => one === month);
  if (monthIndex < 0 || monthIndex > 11) return null;
  const of = (text: string | undefined): number => Number(text ?? 0);
  const local = Date.UTC(of(year), monthIndex, of(day), of(hour), of(minute), of(second));
  return Math.max(0, local - offsetMs(early ?? late));
}

function offsetMs(text: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text ?? "") ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

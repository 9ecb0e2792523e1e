/**
 * Mbox files (RFC 4155) in the variant mboxrd: every line of a mail that begins with `From `, after any number of `>`, is
 * quoted with one more `>`, so that quoting is reversible.
 */
import { decodeMessageId } from "../core/ids.ts";
import { decodeDetail } from "../operations/services/reading/stored-detail.ts";
import type { WholeMessage } from "../store/store.ts";
import { type Line, readLines, toCrLf, toLf } from "./read-lines.ts";

/** Separators of mbox files, in the forms that programs write. */

/** Facts of a separator. */
interface Separator {
  /** Sender: "" for the null sender, null when there is none. */
  readonly mailFrom: string | null;
  /** Milliseconds since the Unix epoch; null when the separator has no time. */
  readonly receivedAt: number | null;
}

/** Name of the null sender. */
const nullSender = "MAILER-DAEMON";
/** Name of a sender that is not known. */
const unknownSender = "-";

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
function readSeparator(line: Buffer): (Separator & { readonly kind: "certain" | "possible" }) | null {
  if (line.length > separatorBytesMax || line.toString("latin1", 0, 4) !== "From") return null;
  const text = line.toString("latin1");
  const timed = readTimed(text);
  if (timed !== null) return { kind: "certain", ...timed };
  const sender = undated.exec(text)?.groups?.["sender"];
  if (sender === undefined && text.trimEnd() !== "From") return null;
  return { kind: "possible", mailFrom: senderIn(sender), receivedAt: null };
}

function readTimed(text: string): Separator | null {
  for (const pattern of times) {
    const groups = pattern.exec(text)?.groups ?? {};
    const receivedAt = groups["year"] === undefined ? null : instantOf(groups);
    if (receivedAt !== null) return { mailFrom: senderIn(groups["sender"]), receivedAt };
  }
  return null;
}

/** Returns whether a line could be a separator that some program has written, and that {@link readSeparator} does not know. */
function resemblesSeparator(line: Buffer): boolean {
  return line.length <= separatorBytesMax && /^From .*\d\d?:\d\d/.test(line.toString("latin1"));
}

/** Returns whether a line begins a header field (RFC 5322 §2.2). */
function isHeaderField(line: Buffer): boolean {
  return headerField.test(line.toString("latin1", 0, 101));
}

function senderIn(sender: string | undefined): string | null {
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

/** Mail in an mbox. */
export interface BoxedMail {
  /** Raw mail with CRLF. */
  readonly raw: Buffer;
  /** Sender in the separator: "" for the null sender, null when there is none. */
  readonly mailFrom: string | null;
  /** Milliseconds since the Unix epoch, in whole seconds; null when the separator has no time. */
  readonly receivedAt: number | null;
  /** Line number of the separator. */
  readonly line: number;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const lineFeed = 0x0a;

/** Encodes a message for an mbox, with LF: separator, quoted content, empty line. */
export function mboxEntry({ id, detailJson, raw }: Pick<WholeMessage, "id" | "detailJson" | "raw">): Buffer {
  const { mailFrom } = decodeDetail(detailJson).message.metadata;
  const separator = `From ${senderOf(mailFrom)} ${asctime(decodeMessageId(id).receivedAt)}\n`;
  const body = toLf(raw).replaceAll(/(^|\n)(>*From )/g, "$1>$2");
  return Buffer.from(`${separator}${body}${body.endsWith("\n") || body === "" ? "" : "\n"}\n`, "latin1");
}

function senderOf(mailFrom: string | null): string {
  if (mailFrom === "") return nullSender;
  return mailFrom !== null && /^[\x21-\x7e]+$/.test(mailFrom) ? mailFrom : unknownSender;
}

/** Formats an instant as the C function of this name, in UTC. */
function asctime(instantMs: number): string {
  const date = new Date(instantMs);
  const two = (value: number, filler = "0"): string => String(value).padStart(2, filler);
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((value) => two(value)).join(":");
  const day = `${days[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${two(date.getUTCDate(), " ")}`;
  return `${day} ${time} ${String(date.getUTCFullYear()).padStart(4, "0")}`;
}

/**
 * Yields the mails of an mbox. A separator is at the beginning or after an empty line and ends with a time, or is in front of a
 * header field: without a time, as Thunderbird writes it, or with a time after a line that is not empty. Any other line is content;
 * `onDoubtful` receives the number of one that resembles a separator. Throws an `Error` that names the line when the file does not
 * begin with a separator, and when a mail is larger than `mailBytesMax`.
 */
export async function* readMbox(
  chunks: AsyncIterable<Uint8Array>,
  mailBytesMax: number,
  onDoubtful: (line: number) => void = () => undefined,
): AsyncGenerator<BoxedMail> {
  const reader = new MboxReader(mailBytesMax, onDoubtful);
  for await (const lines of readLines(chunks, mailBytesMax)) {
    for (const line of lines) {
      const mail = reader.take(line);
      if (mail !== undefined) yield mail;
    }
  }
  const last = reader.end();
  if (last !== undefined) yield last;
}

class MboxReader {
  readonly #mailBytesMax: number;
  #mail: Omit<BoxedMail, "raw"> | undefined;
  /** Lines with their line feeds. Joined, because a mail may have a line for every byte. */
  #text = Buffer.alloc(0);
  #textBytes = 0;
  #sizeBytes = 0;
  #isAfterEmpty = true;

  /** Line that is a separator if a header field follows. */
  #possible: (Line & Separator) | null = null;
  readonly #onDoubtful: (line: number) => void;

  constructor(mailBytesMax: number, onDoubtful: (line: number) => void) {
    this.#mailBytesMax = mailBytesMax;
    this.#onDoubtful = onDoubtful;
  }

  /** Adds a line; returns the mail that it ends, if any. */
  take(line: Line): BoxedMail | undefined {
    const possible = this.#possible;
    this.#possible = null;
    if (possible === null) return this.#read(line);
    if (!isHeaderField(line.bytes)) {
      this.#addContent(possible);
      return this.#read(line);
    }
    const mail = this.#begin(possible, possible.number);
    this.#addContent(line);
    return mail;
  }

  #read(line: Line): BoxedMail | undefined {
    const separator = readSeparator(line.bytes);
    const isPlaced = this.#isAfterEmpty;
    if (separator?.kind === "certain" && isPlaced) return this.#begin(separator, line.number);
    if (separator !== null && (isPlaced || separator.kind === "certain")) this.#possible = { ...line, ...separator };
    else this.#addContent(line);
    return undefined;
  }

  #begin({ mailFrom, receivedAt }: Separator, number: number): BoxedMail | undefined {
    const mail = this.#complete();
    this.#mail = { mailFrom, receivedAt, line: number };
    this.#isAfterEmpty = false;
    return mail;
  }

  #addContent({ number, bytes }: Line): void {
    const isEmpty = bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
    if (this.#mail === undefined) {
      if (isEmpty) return;
      throw new Error(
        `line ${number}: not an mbox, which begins with a line such as "From ann@example.com ${asctime(0)}"`,
      );
    }
    if (this.#isAfterEmpty && resemblesSeparator(bytes)) this.#onDoubtful(number);
    this.#isAfterEmpty = isEmpty;
    this.#sizeBytes += bytes.length + 2;
    if (this.#sizeBytes > this.#mailBytesMax + 2) {
      throw new Error(`line ${this.#mail.line}: the mail that begins here has more than ${this.#mailBytesMax} bytes`);
    }
    this.#append(bytes);
  }

  #append(line: Buffer): void {
    const end = this.#textBytes + line.length + 1;
    if (end > this.#text.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * end, 4096));
      this.#text.copy(larger, 0, 0, this.#textBytes);
      this.#text = larger;
    }
    line.copy(this.#text, this.#textBytes);
    this.#text[end - 1] = lineFeed;
    this.#textBytes = end;
  }

  /** Returns the last mail, if any. */
  end(): BoxedMail | undefined {
    if (this.#possible !== null) this.#addContent(this.#possible);
    this.#possible = null;
    return this.#complete();
  }

  #complete(): BoxedMail | undefined {
    if (this.#mail === undefined) return undefined;
    // The empty line in front of a separator is no part of the mail.
    const whole = this.#text.toString("latin1", 0, this.#textBytes);
    const text = whole.replace(/(^|\n)\r?\n$/, "$1");
    const mail = { ...this.#mail, raw: toCrLf(text.replaceAll(/(^|\n)>(>*From )/g, "$1$2")) };
    this.#mail = undefined;
    this.#textBytes = 0;
    this.#text = Buffer.alloc(0);
    this.#sizeBytes = 0;
    return mail;
  }
}

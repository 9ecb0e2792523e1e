/**
 * Mbox files (RFC 4155) in the variant mboxrd: every line of a mail that begins with `From `, after any number of `>`, is
 * quoted with one more `>`, so that quoting is reversible.
 */
import { decodeMessageId } from "../core/ids.ts";
import { decodeDetail } from "../operations/services/reading/stored-detail.ts";
import type { WholeMessage } from "../store/store.ts";
import { toCrLf, toLf } from "./line-ends.ts";
import { readLines, type Line } from "./read-lines.ts";

/** Mail in an mbox. */
export interface BoxedMail {
  /** Raw mail with CRLF. */
  readonly raw: Buffer;
  /** Sender in the separator: "" for the null sender, null when there is none. */
  readonly mailFrom: string | null;
  /** Milliseconds since the Unix epoch, in whole seconds. */
  readonly receivedAt: number;
  /** Line number of the separator. */
  readonly line: number;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const lineFeed = 0x0a;
const nullSender = "MAILER-DAEMON";
const unknownSender = "-";

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

const separatorPattern =
  /^From (?:(\S+)|(?:.{0,500}?)) +(?:[A-Z][a-z]{2},? +)([A-Z][a-z]{2}) +(\d{1,2}) +(\d\d):(\d\d)(?::(\d\d))?(?: +[A-Z]{1,5})?(?: +([+-]\d{4}))? +(\d{4,6})(?: +([+-]\d{4}))? *\r?$/;
const separatorBytesMax = 1000;

/** Parses a separator; returns undefined for any other line. */
function readSeparator(line: Buffer): Pick<BoxedMail, "mailFrom" | "receivedAt"> | undefined {
  if (line.length > separatorBytesMax || line.toString("latin1", 0, 5) !== "From ") return undefined;
  const found = separatorPattern.exec(line.toString("latin1"));
  if (found === null) return undefined;
  const [, sender = unknownSender, month = "", day, hour, minute, second = "0", zone, year, zoneBehind] = found;
  const monthIndex = months.findIndex((one) => one === month);
  if (monthIndex < 0) return undefined;
  const local = Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  const receivedAt = Math.max(0, local - offsetMs(zone ?? zoneBehind));
  return { mailFrom: sender === unknownSender ? null : sender === nullSender ? "" : sender, receivedAt };
}

function offsetMs(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}

/**
 * Yields the mails of an mbox. A separator is at the beginning or after an empty line, and ends with a time; any other line is
 * content. Throws an `Error` that names the line when the file does not begin with a separator, and when a mail is larger than
 * `mailBytesMax`.
 */
export async function* readMbox(chunks: AsyncIterable<Uint8Array>, mailBytesMax: number): AsyncGenerator<BoxedMail> {
  const reader = new MboxReader(mailBytesMax);
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

  constructor(mailBytesMax: number) {
    this.#mailBytesMax = mailBytesMax;
  }

  /** Adds a line; returns the mail that it ends, if any. */
  take({ number, bytes }: Line): BoxedMail | undefined {
    const separator = this.#isAfterEmpty ? readSeparator(bytes) : undefined;
    const isEmpty = bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
    this.#isAfterEmpty = isEmpty;
    if (separator !== undefined) {
      const mail = this.end();
      this.#mail = { ...separator, line: number };
      return mail;
    }
    if (this.#mail === undefined) {
      if (isEmpty) return undefined;
      throw new Error(
        `line ${number}: not an mbox, which begins with a line such as "From ann@example.com ${asctime(0)}"`,
      );
    }
    this.#sizeBytes += bytes.length + 2;
    if (this.#sizeBytes > this.#mailBytesMax + 2) {
      throw new Error(`line ${this.#mail.line}: the mail that begins here has more than ${this.#mailBytesMax} bytes`);
    }
    this.#append(bytes);
    return undefined;
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

/**
 * Mbox files (RFC 4155) in the variant mboxrd: every line of a mail that begins with `From `, after any number of `>`, is
 * quoted with one more `>`, so that quoting is reversible.
 */
import { decodeMessageId } from "../core/ids.ts";
import { decodeDetail } from "../operations/services/reading/stored-detail.ts";
import type { WholeMessage } from "../store/store.ts";
import {
  isHeaderField,
  nullSender,
  readSeparator,
  resemblesSeparator,
  unknownSender,
  type Separator,
} from "./mbox-separators.ts";
import { readLines, type Line, toCrLf, toLf } from "./read-lines.ts";

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

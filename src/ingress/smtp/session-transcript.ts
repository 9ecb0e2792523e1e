import type { Clock } from "../../core/clock.ts";
import type { ServerId } from "../../core/ids.ts";
import { saslMechanisms } from "../../core/smtp-session.ts";
import { encodeEntry, encodeStart, type EntryKind } from "../../core/transcript.ts";

/** Characters of the lines before the first transaction, and within one transaction; its last lines are added. */
const openingLengthMax = 8 * 1024;
const transactionLengthMax = 16 * 1024;
const lastCount = 8;

interface Line {
  readonly encoded: string;
  /** Server of the recipient of a RCPT command and its reply; null for all other lines. */
  readonly server: ServerId | null;
}

/**
 * Transcript of one session, of bounded length: what precedes the first transaction, and the current transaction. Callers
 * mask secrets.
 */
export class SessionTranscript {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #startedAtMs: number;
  readonly #start: string;
  readonly #opening = new BoundedLines(openingLengthMax);
  #current: BoundedLines = this.#opening;
  /** Server of the current command. */
  #server: ServerId | null = null;
  /** Transactions that have ended. */
  #earlierCount = 0;
  /** Time at which the last of them ended. */
  #earlierEndMs = 0;
  #isComplete = false;

  constructor(clock: Pick<Clock, "now" | "monotonicMs">) {
    this.#clock = clock;
    this.#startedAtMs = clock.monotonicMs();
    this.#start = encodeStart(clock.now());
  }

  /** Adds a command. */
  addCommand(masked: string, isPipelined: boolean): void {
    this.#server = null;
    this.#add(isPipelined ? "+" : ">", masked);
  }

  /** Adds the message data that followed a command, by its size only. */
  addContent(sizeBytes: number): void {
    this.#server = null;
    this.#add(">", `[${sizeBytes} bytes of message data]`);
  }

  /** Adds a reply of one or more lines, which end with CRLF. */
  addReply(wire: string): void {
    const atMs = this.#elapsedMs();
    for (let start = 0; start < wire.length;) {
      const end = wire.indexOf("\r\n", start);
      this.#current.add({ encoded: encodeEntry(atMs, "<", wire.slice(start, end)), server: this.#server });
      start = end + 2;
    }
    if (wire !== "" && this.#isComplete) this.#restart(false);
  }

  /** Adds a note of the service. */
  addNote(text: string): void {
    this.#add("*", text);
  }

  /** Assigns the current command, which is RCPT, to the server of its recipient. */
  assignTo(server: ServerId): void {
    this.#server = server;
    const line = this.#current.takeLast();
    if (line !== undefined) this.#current.add({ ...line, server });
  }

  /** Starts the transaction of the current command. */
  startTransaction(): void {
    if (this.#current !== this.#opening) return;
    const command = this.#opening.takeLast();
    this.#current = new BoundedLines(transactionLengthMax);
    if (command !== undefined) this.#current.add(command);
  }

  /** Ends the transaction without a stored mail, in the current command. */
  abortTransaction(): void {
    if (!this.#isComplete) this.#restart(true);
  }

  /** Ends the transaction with a stored mail, whose reply follows. */
  completeTransaction(): void {
    this.#isComplete = true;
  }

  /** Returns the transcript for a server, with the lines of the reply that follows when the mail is stored; "" when none does. */
  encodeFor(server: ServerId, finalReply: string): string {
    const count = this.#earlierCount;
    const note = `[${count} earlier transactions of the session left out]`;
    const earlier = count === 0 ? "" : encodeEntry(this.#earlierEndMs, "*", note);
    const replies = finalReply.split("\r\n").slice(0, -1);
    const last = replies.map((line) => this.#encode("<", line)).join("");
    return `${this.#start}${this.#opening.encodeFor(server)}${earlier}${this.#current.encodeFor(server)}${last}`;
  }

  /** Forgets the lines of the last transaction, which could concern another server. */
  #restart(keepsCommand: boolean): void {
    const command = keepsCommand ? this.#current.takeLast() : undefined;
    this.#current = new BoundedLines(transactionLengthMax);
    if (command !== undefined) this.#current.add({ ...command, server: null });
    this.#earlierCount += 1;
    this.#earlierEndMs = this.#elapsedMs();
    this.#isComplete = false;
  }

  #add(kind: EntryKind, text: string): void {
    this.#current.add({ encoded: this.#encode(kind, text), server: this.#server });
  }

  #elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startedAtMs;
  }

  #encode(kind: EntryKind, text: string): string {
    return encodeEntry(this.#elapsedMs(), kind, text);
  }
}

/** Lines of bounded length: the first ones, the number of those left out, and the last ones. */
class BoundedLines {
  readonly #lengthMax: number;
  readonly #first: Line[] = [];
  #length = 0;
  readonly #last: Line[] = [];
  #omittedCount = 0;
  /** Time of the first line that was left out. */
  #omittedAt = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  add(line: Line): void {
    if (this.#last.length === 0 && this.#length + line.encoded.length <= this.#lengthMax) {
      this.#first.push(line);
      this.#length += line.encoded.length;
      return;
    }
    this.#last.push(line);
    if (this.#last.length <= lastCount) return;
    const omitted = this.#last.shift();
    if (this.#omittedCount === 0) this.#omittedAt = Number.parseInt(omitted?.encoded ?? "0", 10);
    this.#omittedCount += 1;
  }

  takeLast(): Line | undefined {
    const last = this.#last.pop();
    if (last !== undefined) return last;
    const line = this.#first.pop();
    this.#length -= line?.encoded.length ?? 0;
    return line;
  }

  /** Returns the lines that a server may see. */
  encodeFor(server: ServerId): string {
    let encoded = "";
    for (const line of this.#first) if (line.server === null || line.server === server) encoded += line.encoded;
    if (this.#omittedCount > 0) encoded += encodeEntry(this.#omittedAt, "*", `[${this.#omittedCount} lines left out]`);
    for (const line of this.#last) if (line.server === null || line.server === server) encoded += line.encoded;
    return encoded;
  }
}

/** Text in place of secrets and of what could be one. */
const masked = "[masked]";

/** Commands whose arguments are shown; those of other commands could be secrets of another protocol. */
const shownVerbs: ReadonlySet<string> = new Set([
  "EHLO",
  "HELO",
  "MAIL",
  "RCPT",
  "DATA",
  "BDAT",
  "RSET",
  "NOOP",
  "VRFY",
  "HELP",
  "STARTTLS",
  "QUIT",
]);
const mechanisms: ReadonlySet<string> = new Set(saslMechanisms);

/**
 * Returns a command as transcripts show it; `verb` in capitals, null for an unknown one. Of AUTH only a known mechanism is
 * shown, and of unknown commands nothing: a client that pipelines AUTH sends its password as the next command when the
 * mechanism was rejected.
 */
export function maskCommand(line: string, verb: string | null): string {
  if (verb === null) return "[unknown command]";
  if (shownVerbs.has(verb)) return line;
  const [written = "", first = ""] = line.trim().split(/[ \t]+/, 2);
  if (line.trim() === written) return written;
  return verb === "AUTH" && mechanisms.has(first.toUpperCase())
    ? maskAuth(line, `${written} ${first}`)
    : `${written} ${masked}`;
}

/** Returns the response to a challenge of AUTH as transcripts show it. */
export function maskResponse(line: string): string {
  return line === "*" ? line : masked;
}

function maskAuth(line: string, start: string): string {
  return line.trim().split(/[ \t]+/).length > 2 ? `${start} ${masked}` : start;
}

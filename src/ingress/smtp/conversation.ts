import { Problem } from "../../core/errors.ts";
import { LineReader } from "./line-reader.ts";
import type { SmtpRefusal } from "./options.ts";
import { reply, replyToFault, unknownCommand, type Answer, type NextInput, type Reply } from "./reply.ts";
import type { Session } from "./session.ts";
import { verbs } from "./verbs/table.ts";

/** Refused commands in a row after which the session ends: whoever speaks is not speaking SMTP. */
export const faultsInARowMax = 20;
/** Replies are gathered up to so many characters before they are written. */
const outgoingLengthMax = 16 * 1024;
/** First byte of a TLS record (RFC 8446 §5.1); no command begins with it. */
const tlsHandshakeRecord = 0x16;

const overlong = reply("500 5.5.2", "Line too long", { refusal: "syntax" });
const controlCharacters = reply("501 5.5.2", "Control characters cannot stand in a command", { refusal: "syntax" });
const tooManyFaults = reply("421 4.7.0", "Too many errors", { refusal: "too_many_errors" });
const tlsUnexpected = reply("421 4.7.0", "This port begins in clear; use STARTTLS", { refusal: "tls" });
const timedOut = reply("421 4.4.2", "Silent for too long", { refusal: "idle" });
const tooSlow = reply("421 4.4.2", "Too long without a mail", { refusal: "too_slow" });
const shuttingDown = reply("421 4.3.2", "Service is shutting down", { refusal: "shutdown" });
/** What would end a line, or worse, in a header that tells of the command; the tabulator is a blank. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}]--\t]/v;

/** The client's end of the line, as a conversation sees it. */
export interface Peer {
  /** Writes replies; false when the client does not keep up: then `drained` must be called once it does. */
  send(wire: string): boolean;
  /** Stops and continues the flow of bytes into `take`; repeated calls change nothing. */
  pause(): void;
  resume(): void;
  /** Goes on under TLS; nothing that came in clear is delivered any more. */
  startTls(): void;
  /** Writes what is left and closes. */
  end(wire: string): void;
  /** A fault of ours came through: the session cannot go on. */
  fail(fault: unknown): void;
  /** The connection is closed and no operation is pending any more. */
  finished(): void;
}

/**
 * Turns the bytes of a client into replies: the state machine of one session. How the bytes are cut into chunks has no
 * influence on the replies. While an operation is pending nothing is read, and the client is paused once it sends more.
 */
export class Conversation {
  readonly #session: Session;
  readonly #peer: Peer;
  readonly #lines: LineReader;
  #input: NextInput | null = null;
  #unread: Buffer | null = null;
  #offset = 0;
  #outgoing = "";
  #faultsInARow = 0;
  #hasHeardAnything = false;
  #isBusy = false;
  #isStalled = false;
  #isShuttingDown = false;
  #isInputEnded = false;
  #isEnded = false;
  #isClosed = false;

  constructor(session: Session, peer: Peer) {
    this.#session = session;
    this.#peer = peer;
    this.#lines = new LineReader(session.context.limits.commandLineBytesMax);
  }

  /** True while an operation is pending; the client is not to blame for the silence. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Greets the client. */
  greet(): void {
    this.#run(reply("220", `${this.#session.context.hostname} ESMTP`));
  }

  /** Bytes from the client; they are not copied, and must not be written to afterwards. */
  take(chunk: Buffer): void {
    if (this.#isEnded) return;
    if (!this.#hasHeardAnything && chunk[0] === tlsHandshakeRecord && this.#session.tls === null) {
      this.#run(tlsUnexpected);
      return;
    }
    this.#hasHeardAnything = true;
    if (this.#unread === null) {
      this.#unread = chunk;
      this.#offset = 0;
    } else {
      this.#unread = Buffer.concat([this.#unread.subarray(this.#offset), chunk]);
      this.#offset = 0;
    }
    this.#run();
  }

  /** The client has read what stalled it. */
  drained(): void {
    this.#isStalled = false;
    this.#run();
  }

  /** The client sends nothing more, but may still read: what it has sent is answered, then the session ends. */
  endInput(): void {
    this.#isInputEnded = true;
    this.#run();
  }

  /** Ends a session in which nothing was heard for too long, or in which much was said and no mail came of it. */
  timeOut(why: "idle" | "too_slow" = "idle"): void {
    if (!this.#isEnded) this.#run(why === "idle" ? timedOut : tooSlow);
  }

  /** Ends the session with 421 4.3.2: at once when it is at rest, after the reply when a mail is on its way. */
  shutDown(): void {
    this.#isShuttingDown = true;
    const isReading = typeof this.#input === "object" && this.#input?.kind === "content";
    if (!this.#isBusy && !isReading && !this.#isEnded) this.#run(shuttingDown);
  }

  /** The connection is gone. A mail whose end was not seen is dropped; one that is being stored goes on. */
  close(): void {
    this.#isClosed = true;
    this.#isEnded = true;
    this.#unread = null;
    if (!this.#isBusy) this.#finish();
  }

  /** Gives `first`, then reads on as far as it can, then writes. A fault in here ends this session and no other. */
  #run(first: Reply | null = null): void {
    try {
      if (first !== null) this.#give(first);
      while (this.#unread !== null && !this.#isBusy && !this.#isStalled) this.#readOn(this.#unread);
      if (!this.#isEnded) this.#rest();
    } catch (fault) {
      this.#peer.fail(fault);
    }
  }

  #rest(): void {
    this.#flush();
    if (this.#unread !== null) this.#peer.pause();
    else this.#peer.resume();
    if (this.#isInputEnded && this.#unread === null && !this.#isBusy) this.#end();
  }

  #readOn(chunk: Buffer): void {
    const input = this.#input;
    if (typeof input === "object" && input?.kind === "content") {
      this.#advance(input.reader.read(chunk, this.#offset));
      if (input.reader.isComplete) this.#answer(input.answer);
      return;
    }
    const read = this.#lines.read(chunk, this.#offset);
    this.#advance(read.next);
    if (read.kind === "overlong") this.#give(overlong);
    if (read.kind !== "line") return;
    if (typeof input === "object" && input?.kind === "line") this.#answer(() => input.answer(read.text));
    else this.#answer(() => this.#obey(read.text));
  }

  #advance(offset: number): void {
    this.#offset = offset;
    if (this.#unread !== null && offset >= this.#unread.length) this.#unread = null;
  }

  #obey(line: string): Answer {
    if (control.test(line)) return controlCharacters;
    const verbEnd = line.search(/[ \t]/);
    const name = verbEnd === -1 ? line : line.slice(0, verbEnd);
    const verb = verbs.get(name.toUpperCase());
    return verb === undefined ? unknownCommand : verb(this.#session, verbEnd === -1 ? "" : line.slice(verbEnd).trim());
  }

  #answer(ask: () => Answer): void {
    let answer: Answer;
    try {
      answer = ask();
    } catch (fault) {
      answer = this.#replyToFault(fault);
    }
    if (answer instanceof Promise) void this.#settle(answer);
    else this.#give(answer);
  }

  async #settle(pending: Promise<Reply>): Promise<void> {
    this.#isBusy = true;
    const settled = await pending.catch((fault: unknown) => this.#replyToFault(fault));
    this.#isBusy = false;
    if (this.#isClosed) this.#finish();
    else this.#run(settled);
  }

  #replyToFault(fault: unknown): Reply {
    if (!(fault instanceof Problem)) this.#session.context.log.error({ err: fault }, "An SMTP command failed");
    return replyToFault(fault);
  }

  /** Writes a reply, or gathers it with others, and turns to what comes next. */
  #give(given: Reply): void {
    this.#outgoing += given.wire;
    if (given.refusal !== null) this.#report(given.code, given.refusal);
    this.#input = given.next;
    this.#countFault(given.code);
    if (given.next === "close") this.#end();
    else if (given.next === "tls") this.#startTls();
    else if (given.next?.kind === "content" && given.next.reader.isComplete) this.#answer(given.next.answer);
    else if (this.#faultsInARow >= faultsInARowMax) this.#give(tooManyFaults);
    else if (this.#isShuttingDown && given.next?.kind !== "content") this.#give(shuttingDown);
    else if (this.#outgoing.length > outgoingLengthMax) this.#flush();
  }

  #report(code: number, refusal: SmtpRefusal): void {
    const { log, metrics } = this.#session.context;
    metrics.refused(refusal);
    log.debug({ code, refusal }, "SMTP refused");
  }

  /** Counts faults of form and order and wrong passwords; a recipient that nobody takes is none. */
  #countFault(code: number): void {
    if ((code >= 500 && code <= 504) || code === 535 || code === 555) this.#faultsInARow += 1;
    else if (code >= 200 && code < 300) this.#faultsInARow = 0;
  }

  #flush(): void {
    if (this.#outgoing === "") return;
    const wire = this.#outgoing;
    this.#outgoing = "";
    if (!this.#peer.send(wire)) this.#isStalled = true;
  }

  #startTls(): void {
    this.#flush();
    this.#unread = null;
    this.#input = null;
    this.#isStalled = false;
    this.#peer.startTls();
  }

  #end(): void {
    this.#isEnded = true;
    this.#unread = null;
    const wire = this.#outgoing;
    this.#outgoing = "";
    this.#session.abort();
    this.#peer.end(wire);
  }

  #finish(): void {
    this.#session.abort();
    this.#peer.finished();
  }
}

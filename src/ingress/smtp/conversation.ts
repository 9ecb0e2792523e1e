import { Problem } from "../../core/errors.ts";
import { LineReader } from "./line-reader.ts";
import { maskCommand, maskResponse } from "./mask-command.ts";
import type { SmtpRefusal } from "./options.ts";
import { reply, replyToError, unknownCommand, type NextInput, type PendingReply, type Reply } from "./reply.ts";
import type { Session } from "./session.ts";
import { verbs } from "./verbs/table.ts";

/** Rejected commands in a row after which the session closes: the client does not speak SMTP. */
export const errorsInARowMax = 20;
/** Length at which gathered replies are written. */
const outgoingLengthMax = 16 * 1024;
/** First byte of a TLS handshake record (RFC 8446 §5.1). */
const tlsHandshakeRecord = 0x16;

const overlong = reply("500 5.5.2", "Error: line too long", { refusal: "syntax" });
const controlCharacters = reply("501 5.5.2", "Error: control characters in command", { refusal: "syntax" });
const tooManyErrors = reply("421 4.7.0", "Error: too many errors", { refusal: "too_many_errors" });
const tlsUnexpected = reply("421 4.7.0", "Error: this port has no implicit TLS; use STARTTLS", { refusal: "tls" });
const timedOut = reply("421 4.4.2", "Error: timeout exceeded", { refusal: "idle" });
const tooSlow = reply("421 4.4.2", "Error: no message within the time limit", { refusal: "too_slow" });
const shuttingDown = reply("421 4.3.2", "Service shutting down, closing transmission channel", { refusal: "shutdown" });
/** Characters that could break a header that contains the command; tabs are blanks. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}]--\t]/v;

/** Transport of a conversation. */
export interface Peer {
  /** Writes replies; returns false when the send buffer is full, after which `drained` must be called. */
  send(wire: string): boolean;
  /** Pauses and resumes calls of `take`; repeated calls have no effect. */
  pause(): void;
  resume(): void;
  /** Starts a TLS handshake; bytes received in clear are no longer delivered. */
  startTls(): void;
  /** Writes the last replies and closes. */
  end(wire: string): void;
  /** Closes the session after an unexpected error of the service. */
  fail(error: unknown): void;
  /** Called once the connection is closed and no operation is pending. */
  finished(): void;
}

/**
 * State machine of one session: turns the bytes of a client into replies, independently of their division into chunks. Reads
 * nothing while an operation is pending, and pauses a client that sends more.
 */
export class Conversation {
  readonly #session: Session;
  readonly #peer: Peer;
  readonly #lines: LineReader;
  #input: NextInput | null = null;
  #unread: Buffer | null = null;
  #offset = 0;
  #outgoing = "";
  #errorsInARow = 0;
  #hasReceived = false;
  /** True while the bytes of the next command have arrived after the last reply. */
  #isAwaited = true;
  /** Bytes of the current content that have been read. */
  #contentBytes = 0;
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

  /** True while an operation is pending; the idle time-out does not apply then. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Sends the greeting. */
  greet(): void {
    this.#run(reply("220", `${this.#session.context.hostname} ESMTP`));
  }

  /** Receives bytes of the client, which are not copied and must not be changed afterwards. */
  take(chunk: Buffer): void {
    if (this.#isEnded) return;
    if (!this.#hasReceived && chunk[0] === tlsHandshakeRecord && this.#session.tls === null) {
      this.#run(tlsUnexpected);
      return;
    }
    this.#hasReceived = true;
    if (this.#unread === null) {
      this.#isAwaited = !this.#isBusy;
      this.#unread = chunk;
      this.#offset = 0;
    } else {
      this.#unread = Buffer.concat([this.#unread.subarray(this.#offset), chunk]);
      this.#offset = 0;
    }
    this.#run();
  }

  /** Continues after the send buffer was full. */
  drained(): void {
    this.#isStalled = false;
    this.#run();
  }

  /** Handles the half-close of the client: pending commands are answered, then the session closes. */
  endInput(): void {
    this.#isInputEnded = true;
    this.#run();
  }

  /** Closes the session after a time-out: without bytes (`idle`), or without a mail (`too_slow`). */
  timeOut(reason: "idle" | "too_slow" = "idle"): void {
    if (!this.#isEnded) this.#run(reason === "idle" ? timedOut : tooSlow);
  }

  /** Closes the session with 421 4.3.2: at once when it is idle, else after the reply to the pending mail. */
  shutDown(): void {
    this.#isShuttingDown = true;
    const isReading = typeof this.#input === "object" && this.#input?.kind === "content";
    if (!this.#isBusy && !isReading && !this.#isEnded) this.#run(shuttingDown);
  }

  /** Handles the end of the connection: drops an incomplete mail; storing a complete one continues. */
  close(): void {
    this.#isClosed = true;
    this.#isEnded = true;
    this.#unread = null;
    if (!this.#isBusy) this.#finish();
  }

  /** Sends `first`, processes the available input, then writes the replies. An error closes this session only. */
  #run(first: Reply | null = null): void {
    try {
      if (first !== null) this.#send(first);
      while (this.#unread !== null && !this.#isBusy && !this.#isStalled) this.#readInput(this.#unread);
      if (!this.#isEnded) this.#rest();
    } catch (error) {
      this.#peer.fail(error);
    }
  }

  #rest(): void {
    this.#flush();
    if (this.#unread !== null) this.#peer.pause();
    else this.#peer.resume();
    if (this.#isInputEnded && this.#unread === null && !this.#isBusy) this.#end();
  }

  #readInput(chunk: Buffer): void {
    const input = this.#input;
    if (typeof input === "object" && input?.kind === "content") {
      const start = this.#offset;
      this.#advance(input.reader.read(chunk, start));
      this.#contentBytes += this.#offset - start;
      if (input.reader.isComplete) this.#answerContent(input.respond);
      return;
    }
    const read = this.#lines.read(chunk, this.#offset);
    this.#advance(read.next);
    if (read.kind === "overlong") {
      this.#noteCommand("[line too long]");
      this.#send(overlong);
    }
    if (read.kind !== "line") return;
    if (typeof input === "object" && input?.kind === "line") {
      this.#noteCommand(maskResponse(read.text));
      this.#answer(() => input.respond(read.text));
    } else this.#answer(() => this.#execute(read.text));
  }

  #advance(offset: number): void {
    this.#offset = offset;
    if (this.#unread !== null && offset >= this.#unread.length) this.#unread = null;
  }

  #execute(line: string): PendingReply {
    if (control.test(line)) {
      this.#noteCommand("[command with control characters]");
      return controlCharacters;
    }
    const verbEnd = line.search(/[ \t]/);
    const name = verbEnd === -1 ? line : line.slice(0, verbEnd);
    const verb = verbs.get(name.toUpperCase());
    this.#noteCommand(maskCommand(line, verb !== undefined));
    return verb === undefined ? unknownCommand : verb(this.#session, verbEnd === -1 ? "" : line.slice(verbEnd).trim());
  }

  #noteCommand(masked: string): void {
    this.#session.transcript.addCommand(masked, !this.#isAwaited);
    this.#isAwaited = false;
  }

  #answerContent(respond: () => PendingReply): void {
    this.#session.transcript.addContent(this.#contentBytes);
    this.#contentBytes = 0;
    this.#answer(respond);
  }

  #answer(respond: () => PendingReply): void {
    let given: PendingReply;
    try {
      given = respond();
    } catch (error) {
      given = this.#replyToError(error);
    }
    if (given instanceof Promise) void this.#settle(given);
    else this.#send(given);
  }

  async #settle(pending: Promise<Reply>): Promise<void> {
    this.#isBusy = true;
    const settled = await pending.catch((error: unknown) => this.#replyToError(error));
    this.#isBusy = false;
    if (this.#isClosed) this.#finish();
    else this.#run(settled);
  }

  #replyToError(error: unknown): Reply {
    if (!(error instanceof Problem)) this.#session.context.log.error({ err: error }, "SMTP command failed");
    return replyToError(error);
  }

  /** Appends a reply to those that are written together, and switches to the input that follows it. */
  #send(given: Reply): void {
    this.#outgoing += given.wire;
    this.#session.transcript.addReply(given.wire);
    if (given.refusal !== null) this.#report(given.code, given.refusal);
    this.#input = given.next;
    this.#countError(given.code);
    if (given.next === "close") this.#end();
    else if (given.next === "tls") this.#startTls();
    else if (given.next?.kind === "content" && given.next.reader.isComplete) this.#answerContent(given.next.respond);
    else if (this.#errorsInARow >= errorsInARowMax) this.#send(tooManyErrors);
    else if (this.#isShuttingDown && given.next?.kind !== "content") this.#send(shuttingDown);
    else if (this.#outgoing.length > outgoingLengthMax) this.#flush();
  }

  #report(code: number, refusal: SmtpRefusal): void {
    const { log, metrics } = this.#session.context;
    metrics.refused(refusal);
    log.debug({ code, refusal }, "SMTP command rejected");
  }

  /** Counts errors of syntax and order and wrong passwords; rejected recipients do not count. */
  #countError(code: number): void {
    if ((code >= 500 && code <= 504) || code === 535 || code === 555) this.#errorsInARow += 1;
    else if (code >= 200 && code < 300) this.#errorsInARow = 0;
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

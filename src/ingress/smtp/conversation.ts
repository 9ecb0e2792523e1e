import type { FaultTlsFailure } from "../../core/fault.ts";
import { freeMemory } from "../../core/free-memory.ts";
import { readCommand } from "./command.ts";
import { greeting } from "./greeting.ts";
import { LineReader } from "./line-reader.ts";
import { maskResponse } from "./mask-command.ts";
import type { SmtpRefusal } from "./options.ts";
import type { Peer } from "./peer.ts";
import type { NextInput, PendingReply, Reply } from "./reply.ts";
import { sessionReplies } from "./session-replies.ts";
import type { Session } from "./session.ts";

/** Rejected commands in a row after which the session closes: the client does not speak SMTP. */
export const errorsInARowMax = 20;

/** Length at which gathered replies are written. */
const outgoingLengthMax = 16 * 1024;
/** First byte of a TLS handshake record (RFC 8446 §5.1). */
const tlsHandshakeRecord = 0x16;

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
  /** True when content may refer to the memory of the unread chunk. */
  #isShared = false;
  #outgoing = "";
  #errorsInARow = 0;
  #hasRead = false;
  /** True while the bytes of the next command have arrived after the last reply. */
  #isAwaited = true;
  /** Bytes of the current content that have been read. */
  #contentBytes = 0;
  /** Sent after the TLS handshake. */
  #firstSecured: Reply | null = null;
  #isBusy = false;
  #isStalled = false;
  #isThrottled = false;
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

  /** True while the session waits by itself, so that the client is not idle. */
  get isHeld(): boolean {
    return this.#isBusy || this.#isThrottled;
  }

  /** Sends the greeting, with implicit TLS after the handshake. */
  greet(implicitTls = false): void {
    this.#run(() => greeting(this.#session, implicitTls));
  }

  /** Continues after the TLS handshake. */
  secured(): void {
    const first = this.#firstSecured;
    this.#firstSecured = null;
    if (first !== null) this.#run(() => first);
  }

  /** Receives bytes of the client. The chunk is freed when it has been read, if it has memory of its own. */
  take(chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#isShared = this.#unread !== null;
    if (this.#unread === null) {
      this.#isAwaited = !this.#isBusy;
      this.#unread = chunk;
    } else this.#unread = Buffer.concat([this.#unread.subarray(this.#offset), chunk]);
    this.#offset = 0;
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
    // Clients that have given up cannot be told from those that still read replies.
    this.#session.endWaits();
    this.#run();
  }

  /** Closes the session after a time-out: without bytes (`idle`), or without a mail (`too_slow`). */
  timeOut(reason: "idle" | "too_slow" = "idle"): void {
    if (!this.#isEnded) this.#run(() => (reason === "idle" ? sessionReplies.timedOut : sessionReplies.tooSlow));
  }

  /** Closes the session with 421 4.3.2: at once when it is idle, else after the reply to the pending mail. */
  shutDown(): void {
    this.#isShuttingDown = true;
    this.#session.endWaits();
    const isReading = typeof this.#input === "object" && this.#input?.kind === "content";
    if (!this.#isBusy && !isReading && !this.#isEnded) this.#run(() => sessionReplies.shuttingDown);
  }

  /** Handles the end of the connection: drops an incomplete mail; storing a complete one continues. */
  close(): void {
    this.#isClosed = true;
    this.#isEnded = true;
    this.#unread = null;
    this.#session.endWaits();
    if (!this.#isBusy) this.#finish();
  }

  /** Responds, processes the available input, then writes the replies. An error closes this session only. */
  #run(respond: (() => PendingReply) | null = null): void {
    try {
      if (respond !== null) this.#answer(respond);
      while (this.#unread !== null && !this.isHeld && !this.#isStalled) this.#readInput(this.#unread);
      if (!this.#isEnded) this.#rest();
    } catch (error) {
      this.#peer.fail(error);
    }
  }

  #rest(): void {
    this.#flush();
    if (this.#unread !== null) this.#peer.pause();
    else this.#peer.resume();
    if (this.#isInputEnded && this.#unread === null && !this.#isBusy) this.#close("close");
  }

  #readInput(chunk: Buffer): void {
    const [isFirst, input] = [!this.#hasRead, this.#input];
    this.#hasRead = true;
    if (isFirst && chunk[0] === tlsHandshakeRecord && this.#session.tls === null)
      this.#send(sessionReplies.tlsUnexpected);
    else if (typeof input === "object" && input?.kind === "content") this.#readContent(chunk, input);
    else this.#readLine(chunk, input);
  }

  #readContent(chunk: Buffer, { reader, respond }: Extract<NextInput, { readonly kind: "content" }>): void {
    const start = this.#offset;
    this.#advance(reader.read(chunk, start));
    if (start === 0 && this.#unread === null && !this.#isShared) reader.adopt?.(chunk);
    this.#isShared = true;
    this.#contentBytes += this.#offset - start;
    if (reader.isComplete) this.#answerContent(respond);
    else if (this.#unread !== null) void this.#readLater(reader.pauseMs ?? 0);
  }

  #readLine(chunk: Buffer, input: NextInput | null): void {
    const read = this.#lines.read(chunk, this.#offset);
    this.#advance(read.next);
    if (this.#unread === null && !this.#isShared) freeMemory(chunk);
    if (read.kind === "overlong") {
      this.#noteCommand("[line too long]");
      this.#send(sessionReplies.overlong);
    }
    if (read.kind !== "line") return;
    if (typeof input === "object" && input?.kind === "line") {
      this.#noteCommand(maskResponse(read.text));
      this.#answer(() => input.respond(read.text));
    } else {
      const { masked, execute } = readCommand(read.text);
      this.#session.isCommandWithCr = read.hasCr;
      this.#noteCommand(masked);
      this.#answer(() => execute(this.#session));
    }
  }

  async #readLater(pauseMs: number): Promise<void> {
    this.#isThrottled = true;
    await this.#session.wait(pauseMs);
    this.#isThrottled = false;
    this.#run();
  }

  #advance(offset: number): void {
    this.#offset = offset;
    if (this.#unread !== null && offset >= this.#unread.length) this.#unread = null;
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
      given = this.#session.replyToError(error);
    }
    if (given instanceof Promise) void this.#settle(given);
    else this.#send(given);
  }

  async #settle(pending: Promise<Reply>): Promise<void> {
    this.#isBusy = true;
    const settled = await pending.catch((error: unknown) => this.#session.replyToError(error));
    this.#isBusy = false;
    if (this.#isClosed) this.#finish();
    else this.#run(() => settled);
  }

  /** Appends a reply to those that are written together, and switches to the input that follows it. */
  #send(given: Reply): void {
    this.#outgoing += given.wire;
    this.#session.transcript.addReply(given.wire);
    if (given.refusal !== null) this.#report(given.code, given.refusal);
    this.#input = given.next;
    if (given.refusal !== "fault") this.#countError(given.code);
    if (typeof given.next === "string") this.#close(given.next);
    else if (given.next?.kind === "tls") this.#startTls(given.next);
    else if (given.next?.kind === "content" && given.next.reader.isComplete) this.#answerContent(given.next.respond);
    else this.#sendFurther(given);
  }

  /** Closes the session after a reply where that is due; writes when many replies are gathered. */
  #sendFurther({ next }: Reply): void {
    const isReadingContent = next !== null && typeof next === "object" && next.kind === "content";
    if (this.#errorsInARow >= errorsInARowMax) this.#send(sessionReplies.tooManyErrors);
    else if (this.#isShuttingDown && !isReadingContent) this.#send(sessionReplies.shuttingDown);
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

  #startTls({ fault, first }: { readonly fault: FaultTlsFailure | null; readonly first: Reply | null }): void {
    if (this.#isShuttingDown) {
      this.#close("close");
      return;
    }
    this.#flush();
    this.#firstSecured = first;
    this.#unread = null;
    this.#input = null;
    this.#isStalled = false;
    this.#peer.startTls(fault);
  }

  /** Closes the session: with the replies gathered so far, or by RST. */
  #close(way: "close" | "reset"): void {
    this.#isEnded = true;
    this.#unread = null;
    const wire = this.#outgoing;
    this.#outgoing = "";
    this.#session.abort();
    if (way === "close") this.#peer.end(wire);
    else this.#peer.reset();
  }

  #finish(): void {
    this.#session.abort();
    this.#peer.finished();
  }
}

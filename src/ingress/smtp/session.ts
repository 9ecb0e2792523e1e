import type { Arrival, ResolvedRecipient, SmtpAuthentication, SmtpSession } from "../../core/smtp-session.ts";
import type { BearerResponse } from "../lines/sasl.ts";
import { Problem } from "../../core/errors.ts";
import {
  actionOf,
  type FaultDecision,
  type FaultHit,
  type FaultStage,
  type FaultTlsFailure,
  type LateDelivery,
} from "../../core/fault.ts";
import { isSessionStage } from "../../core/fault-engine.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ByteBudget } from "../../core/byte-budget.ts";
import { SmtpConnection } from "./connection.ts";
import type { ContentReader } from "./input.ts";
import { maskResponse, SessionTranscript } from "./session-transcript.ts";
import { MailBuffer } from "./mail-buffer.ts";
import type { SmtpServerOptions } from "./options.ts";
import type { Client } from "./proxied-socket.ts";
import { type PendingReply, reply, type Reply, replyToError, sessionReplies } from "./reply.ts";
import { Throttle } from "./content-readers.ts";

/** Number of faults that a session, and each of its transactions, lists; further ones are in the lists of their rules only. */
const faultCountMax = 20;

/** Dependencies that all sessions of a listener share. */
export interface SessionContext extends Pick<
  SmtpServerOptions,
  | "allowsClearTextAuth"
  | "clock"
  | "faultySecureContext"
  | "hostname"
  | "implicitTls"
  | "isAuthRequired"
  | "isLmtp"
  | "limits"
  | "log"
  | "metrics"
  | "onTlsFailure"
  | "operations"
  | "secureContext"
  | "startTlsFor"
> {
  readonly budget: ByteBudget;
  /** Sessions that a fault delays, oldest first; they give way to new ones at the limits of sessions. */
  readonly delayed: Set<Session>;
}

/** Mail transaction (RFC 5321 §3.3), from MAIL to the end of the content. */
export interface Transaction extends Required<Pick<Arrival, "beganAt" | "mailFrom">> {
  readonly isUtf8: boolean;
  /** SIZE parameter of MAIL; 0 without one. */
  readonly declaredBytes: number;
  readonly recipients: ResolvedRecipient[];
  /** Number of rejected RCPT commands. */
  refusedCount: number;
  /** Content so far; null before DATA or the first BDAT. */
  content: MailBuffer | null;
  /** Rate limit of the content by a fault; null without one. */
  throttle: Throttle | null;
  /** Faults from MAIL on. */
  readonly faults: FaultHit[];
  /** Servers to which a fault delivers the mail later. */
  readonly late: LateDelivery[];
}

/** Command: takes its argument without surrounding blanks and returns the reply. */
export type Verb = (session: Session, argument: string) => PendingReply;

/** State of an SMTP session, which the verbs read and change. */
export class Session {
  readonly context: SessionContext;
  readonly clientAddress: string;
  readonly connection: SmtpConnection;
  readonly transcript: SessionTranscript;
  /** TLS protocol and cipher; null without TLS. */
  tls: string | null = null;
  /** Argument of the last EHLO or HELO; null before it. */
  ehlo: string | null = null;
  /** True after EHLO, false after HELO. */
  isExtended = false;
  /** Server of the credentials; null also when the accepted user name belongs to no server. */
  authenticatedAs: ServerId | null = null;
  /** Accepted authentication. */
  auth: SmtpAuthentication | null = null;
  /** Bearer token that authenticated the session for a server, which each mail checks again: it may expire; null for others. */
  token: BearerResponse | null = null;
  transaction: Transaction | null = null;
  /** Whether the line of the present command ended with CRLF, not with a bare LF. */
  isCommandWithCr = true;
  /** Faults before MAIL. */
  readonly #faults: FaultHit[] = [];
  readonly #onEvicted: () => void;
  #isEvicted = false;
  #isClosing = false;
  #endWait: () => void = () => undefined;

  /** `onEvicted` is called when the session gives way to another one; it closes as soon as its last reply is written. */
  constructor({ socket, address }: Client, context: SessionContext, onEvicted: () => void) {
    this.context = context;
    this.clientAddress = address;
    this.#onEvicted = onEvicted;
    this.transcript = new SessionTranscript(context.clock);
    this.connection = new SmtpConnection(socket, {
      ...context,
      receivedBytes: () => this.#receivedBytes,
      onEnding: () => {
        this.endWaits();
      },
      wait: async (ms) => {
        await this.wait(ms);
      },
    });
  }

  /** True in sessions of LMTP. */
  get isLmtp(): boolean {
    return this.context.isLmtp === true;
  }

  /** Returns the reply to an error of an operation, which is logged unless it is a `Problem`. */
  replyToError(error: unknown): Reply {
    if (!(error instanceof Problem)) this.context.log.error({ err: error }, "SMTP command failed");
    return replyToError(error);
  }

  /** True while EHLO lists STARTTLS. */
  get isTlsOffered(): boolean {
    return this.isTlsAccepted && this.context.startTlsFor(this.clientAddress) === "offered";
  }

  /** True while the command STARTTLS succeeds. */
  get isTlsAccepted(): boolean {
    if (this.tls !== null || this.context.startTlsFor(this.clientAddress) === "refused") return false;
    return this.context.secureContext() !== undefined;
  }

  /** Starts a transaction; aborts a pending one. */
  begin({ mailFrom, isUtf8, declaredBytes }: Pick<Transaction, "mailFrom" | "isUtf8" | "declaredBytes">): void {
    this.abort();
    this.transcript.startTransaction();
    const empty = { recipients: [], refusedCount: 0, content: null, throttle: null, faults: [], late: [] };
    this.transaction = { beganAt: this.context.clock.monotonicMs(), mailFrom, isUtf8, declaredBytes, ...empty };
  }

  /** Returns the content buffer of the transaction; creates it at the first call. */
  openContent(transaction: Transaction): MailBuffer {
    transaction.content ??= new MailBuffer(this.context.limits.messageBytesMax, this.context.budget);
    return transaction.content;
  }

  /** Bytes of the content that have arrived and are not throttled; 0 without one. */
  get #receivedBytes(): number {
    const { content = null, throttle = null } = this.transaction ?? {};
    return throttle === null ? (content?.sizeBytes ?? 0) : 0;
  }

  /** Aborts the transaction and frees its content. */
  abort(): void {
    if (this.transaction !== null) this.transcript.abortTransaction();
    this.transaction?.content?.release();
    this.transaction = null;
  }

  /** True when the session gave way to another one during a delay; it closes with its next reply. */
  get isEvicted(): boolean {
    return this.#isEvicted;
  }

  /** Ends the delay of the session, which then closes. */
  evict(): void {
    this.#isEvicted = true;
    this.context.delayed.delete(this);
    this.#onEvicted();
    this.endWaits();
  }

  /** Waits as {@link wait} does for the delay of a fault, during which the session can be evicted. */
  async delay(ms: number): Promise<void> {
    if (ms <= 0) return;
    const { delayed } = this.context;
    delayed.add(this);
    await this.wait(ms);
    delayed.delete(this);
  }

  /** Resolves after `ms`; earlier when the client leaves or the service stops, and at once after that. */
  async wait(ms: number): Promise<void> {
    if (ms <= 0 || this.#isClosing) return;
    await new Promise<void>((resolve) => {
      const cancel = this.context.clock.after(ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Limits the rate at which the content of a transaction is read, unless the client leaves or the service stops. */
  throttle(transaction: Transaction, bytesPerSecond: number): void {
    if (!this.#isClosing) transaction.throttle = new Throttle(bytesPerSecond, this.context.clock);
  }

  /** Ends the pending {@link wait} and the throttle, and prevents further ones. */
  endWaits(): void {
    this.#isClosing = true;
    this.transaction?.throttle?.lift();
    this.#endWait();
  }

  /** Records the faults of a stage, for the mails of the session or for that of the transaction; repeated ones once. */
  noteFaults(stage: FaultStage, { then, hits, late }: FaultDecision): void {
    // Late delivery can concern some servers of the mail only, and no client notices it.
    if (then !== null) this.transcript.addNote(`[fault at ${stage}: ${actionOf(then)}]`);
    const { transaction } = this;
    if (isSessionStage(stage) && stage !== "mail") note(this.#faults, hits);
    else if (transaction !== null) {
      note(transaction.faults, hits);
      transaction.late.push(...late);
    }
  }

  /** Returns the faults that the mail of a transaction met. */
  faultsOf({ faults }: Transaction): readonly FaultHit[] {
    return [...this.#faults, ...faults];
  }

  /** Starts TLS with an injected fault or null, and resets the session (RFC 3207 §4.2); returns false when the handshake fails. */
  async startTls(fault: FaultTlsFailure | null): Promise<boolean> {
    const tls = await this.connection.secure(fault);
    if (tls === null) return false;
    this.abort();
    this.ehlo = null;
    this.isExtended = false;
    this.authenticatedAs = null;
    this.auth = null;
    this.token = null;
    this.tls = tls;
    this.transcript.addNote(`[TLS handshake completed: ${tls}]`);
    return true;
  }

  /** Sends a reply; counts and logs a refusal. */
  send(given: Reply): void {
    this.connection.send(given.wire);
    this.transcript.addReply(given.wire);
    const { code, refusal } = given;
    if (refusal === null) return;
    this.context.metrics.refused(refusal);
    this.context.log.debug({ code, refusal }, "SMTP command rejected");
  }

  /** Sends a challenge and reads the response; returns the reply to an overlong one, null when the input ended. */
  async ask(challenge: string): Promise<string | Reply | null> {
    this.send(reply("334", Buffer.from(challenge).toString("base64")));
    const line = await this.connection.readLine();
    if (line.kind === "overlong") return this.overlong();
    if (line.kind !== "line") return null;
    this.transcript.addCommand(maskResponse(line.text), this.connection.input.takePipelined());
    return line.text;
  }

  /** Notes a line over the limit, and returns the reply to it. */
  overlong(): Reply {
    this.transcript.addCommand("[line too long]", this.connection.input.takePipelined());
    return sessionReplies.overlong;
  }

  /** Reads content until it is complete; returns false when the input ended before. */
  async readContent(reader: ContentReader): Promise<boolean> {
    const sizeBytes = await this.connection.input.readContent(reader);
    if (sizeBytes !== null) this.transcript.addContent(sizeBytes);
    return sizeBytes !== null;
  }

  /** Returns the session as it is stored with the mail of `transaction`. */
  describe(transaction: Transaction): SmtpSession {
    const { ehlo, clientAddress, tls, authenticatedAs, auth } = this;
    const protocol = this.#protocol(transaction.isUtf8);
    return { ehlo, clientAddress, tls, authenticatedAs, protocol, ...(auth === null ? {} : { auth }) };
  }

  #protocol(isUtf8: boolean): string {
    if (!this.isExtended) return "SMTP";
    const suffix = `${this.tls === null ? "" : "S"}${this.auth === null ? "" : "A"}`;
    if (this.isLmtp) return `${isUtf8 ? "UTF8LMTP" : "LMTP"}${suffix}`;
    return `${isUtf8 ? "UTF8SMTP" : "ESMTP"}${suffix}`;
  }
}

function note(noted: FaultHit[], hits: readonly FaultHit[]): void {
  for (const hit of hits) {
    const { server, rule, stage } = hit;
    const isNoted = noted.some((one) => one.server === server && one.rule === rule && one.stage === stage);
    if (!isNoted && noted.length < faultCountMax) noted.push(hit);
  }
}

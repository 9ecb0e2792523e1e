import type { ResolvedRecipient } from "../../core/arrival.ts";
import type { SmtpAuthentication, SmtpSession } from "../../core/smtp-session.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ByteBudget } from "../../core/byte-budget.ts";
import { SessionTranscript } from "./session-transcript.ts";
import { MailBuffer } from "./mail-buffer.ts";
import type { SmtpServerOptions } from "./options.ts";
import type { PendingReply } from "./reply.ts";

/** Dependencies that all sessions of a listener share. */
export interface SessionContext extends Pick<
  SmtpServerOptions,
  | "clock"
  | "hostname"
  | "isAuthRequired"
  | "limits"
  | "log"
  | "metrics"
  | "operations"
  | "secureContext"
  | "startTlsFor"
> {
  readonly budget: ByteBudget;
}

/** Mail transaction (RFC 5321 §3.3), from MAIL to the end of the content. */
export interface Transaction {
  readonly mailFrom: string;
  readonly isUtf8: boolean;
  /** SIZE parameter of MAIL; 0 without one. */
  readonly declaredBytes: number;
  readonly recipients: ResolvedRecipient[];
  /** Number of rejected RCPT commands. */
  refusedCount: number;
  /** Content so far; null before DATA or the first BDAT. */
  content: MailBuffer | null;
}

/** Command: takes its argument without surrounding blanks and returns the reply. */
export type Verb = (session: Session, argument: string) => PendingReply;

/** State of an SMTP session, which the verbs read and change. */
export class Session {
  readonly context: SessionContext;
  readonly clientAddress: string;
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
  transaction: Transaction | null = null;
  /** Number of stored mails. */
  mailCount = 0;

  constructor(context: SessionContext, clientAddress: string) {
    this.context = context;
    this.clientAddress = clientAddress;
    this.transcript = new SessionTranscript(context.clock);
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
    this.transaction = { mailFrom, isUtf8, declaredBytes, recipients: [], refusedCount: 0, content: null };
  }

  /** Returns the content buffer of the transaction; creates it at the first call. */
  openContent(transaction: Transaction): MailBuffer {
    transaction.content ??= new MailBuffer(this.context.limits.messageBytesMax, this.context.budget);
    return transaction.content;
  }

  /** Aborts the transaction and frees its content. */
  abort(): void {
    if (this.transaction !== null) this.transcript.abortTransaction();
    this.transaction?.content?.release();
    this.transaction = null;
  }

  /** Resets the session after a TLS handshake (RFC 3207 §4.2). */
  secure(tls: string): void {
    this.abort();
    this.ehlo = null;
    this.isExtended = false;
    this.authenticatedAs = null;
    this.auth = null;
    this.tls = tls;
    this.transcript.addNote(`[TLS handshake completed: ${tls}]`);
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
    return `${isUtf8 ? "UTF8SMTP" : "ESMTP"}${suffix}`;
  }
}

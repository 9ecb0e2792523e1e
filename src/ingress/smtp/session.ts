import type { ResolvedRecipient } from "../../core/arrival.ts";
import type { SmtpAuthentication, SmtpSession } from "../../core/smtp-session.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ByteBudget } from "../../core/byte-budget.ts";
import { MailBuffer } from "./mail-buffer.ts";
import type { SmtpServerOptions } from "./options.ts";
import type { Answer } from "./reply.ts";

/** What all sessions of a listener share. */
export interface SessionContext extends Pick<
  SmtpServerOptions,
  "hostname" | "isAuthRequired" | "limits" | "log" | "metrics" | "operations" | "secureContext" | "startTlsFor"
> {
  readonly budget: ByteBudget;
}

/** What MAIL began (RFC 5321 §3.3) and RCPT and the content go on with. */
export interface Transaction {
  readonly mailFrom: string;
  readonly isUtf8: boolean;
  /** SIZE of the MAIL command; 0 where it gave none. */
  readonly declaredBytes: number;
  readonly recipients: ResolvedRecipient[];
  /** How many RCPT commands were refused. */
  refusedCount: number;
  /** Content so far; null before DATA or the first BDAT. */
  content: MailBuffer | null;
}

/** One command: its argument (blanks around it removed) to its answer. */
export type Verb = (session: Session, argument: string) => Answer;

/** What a session knows: who speaks and what was said since. Verbs read and change it. */
export class Session {
  readonly context: SessionContext;
  readonly clientAddress: string;
  /** TLS protocol and cipher; null in clear. */
  tls: string | null = null;
  /** Argument of the last EHLO or HELO; null before it. */
  ehlo: string | null = null;
  /** True after EHLO, false after HELO. */
  isExtended = false;
  /** The server whose credentials were given; null also after a sign-in that opens no server. */
  authenticatedAs: ServerId | null = null;
  /** The sign-in that was accepted. */
  auth: SmtpAuthentication | null = null;
  transaction: Transaction | null = null;
  /** Mails that were answered with 250. */
  mailCount = 0;

  constructor(context: SessionContext, clientAddress: string) {
    this.context = context;
    this.clientAddress = clientAddress;
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

  /** Begins a transaction in place of any other. */
  begin({ mailFrom, isUtf8, declaredBytes }: Pick<Transaction, "mailFrom" | "isUtf8" | "declaredBytes">): void {
    this.abort();
    this.transaction = { mailFrom, isUtf8, declaredBytes, recipients: [], refusedCount: 0, content: null };
  }

  /** Gives the transaction a place for its content. */
  openContent(transaction: Transaction): MailBuffer {
    transaction.content ??= new MailBuffer(this.context.limits.messageBytesMax, this.context.budget);
    return transaction.content;
  }

  /** Forgets the transaction and its content. */
  abort(): void {
    this.transaction?.content?.release();
    this.transaction = null;
  }

  /** Begins anew under TLS: nothing that was learnt in clear is kept (RFC 3207 §4.2). */
  secure(tls: string): void {
    this.abort();
    this.ehlo = null;
    this.isExtended = false;
    this.authenticatedAs = null;
    this.auth = null;
    this.tls = tls;
  }

  /** The session as evidence for the mail of `transaction`. */
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

import type { SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import type { Limits } from "../../core/limits.ts";
import type { MemoryObserver } from "../../core/memory-observer.ts";
import type { SmtpOperations } from "./operations.ts";

/** Why something was refused: the label of the counter, never more than these. */
export type SmtpRefusal =
  | "authentication"
  | "idle"
  | "internal"
  | "message_too_large"
  | "over_quota"
  | "overload"
  | "proxy_header"
  | "recipient_unknown"
  | "sequence"
  | "shutdown"
  | "syntax"
  | "tls"
  | "too_many_errors"
  | "too_many_recipients"
  | "too_many_sessions"
  | "too_slow";

/** Where the door counts what it does; every method returns at once and never throws. */
export interface SmtpMetrics {
  sessionOpened(): void;
  sessionClosed(): void;
  /** A mail was answered with 250 after its commit; `sizeBytes` of its raw form. */
  mailAccepted(sizeBytes: number): void;
  /** A session, a command or a mail was refused. */
  refused(reason: SmtpRefusal): void;
}

/** `offered`: EHLO lists STARTTLS; `accepted`: the command works, but EHLO does not list it; `refused`: 502. */
export type StartTls = "offered" | "accepted" | "refused";

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Where the door reports; never an address, a password or mail content. A pino logger fits. */
export interface SmtpLog {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** All that an SMTP listener needs. */
export interface SmtpServerOptions {
  /** Address to bind. */
  readonly host: string;
  /** Port to bind; 0 picks a free one. */
  readonly port: number;
  /** Whether this is the address of a balancer, whose connections begin with a PROXY header: all of them, and no others. */
  readonly isProxy: (address: string) => boolean;
  /** Name that the greeting and EHLO give; ASCII. */
  readonly hostname: string;
  /** Whether MAIL is refused with 530 before AUTH (RFC 4954 §6); not unless given. */
  readonly isAuthRequired?: boolean;
  /** True: TLS from the first byte (RFC 8314); false: in clear, with STARTTLS where there is a secure context. */
  readonly implicitTls: boolean;
  /** Returns how STARTTLS is treated in sessions of a client with this address. */
  readonly startTlsFor: (clientAddress: string) => StartTls;
  /** Called when a client ends a connection during the TLS handshake or before its first command after it. */
  readonly onTlsFailure: (error: Error | null) => void;
  /** Read anew for every handshake, so that a renewed certificate applies at once; undefined: TLS is not offered. */
  readonly secureContext: () => SecureContext | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly operations: SmtpOperations;
  readonly log: SmtpLog;
  readonly metrics: SmtpMetrics;
  /** Receives the bytes of mails in flight; nothing unless given. */
  readonly memory?: Pick<MemoryObserver, "watch">;
}

/** A listener that is open. */
export interface SmtpServer {
  /** Address as bound. */
  readonly address: string;
  /** Port as bound. */
  readonly port: number;
  /** Sessions that are open now. */
  readonly sessionCount: number;
  /**
   * Stops listening and drains: a mail whose content is on its way is still read, stored and answered, sessions at rest
   * get 421 4.3.2. Resolves when all sessions are closed, at the latest `drainMsMax` later. Safe to call twice.
   */
  close(): Promise<void>;
}

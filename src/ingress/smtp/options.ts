import type { SecureContext } from "node:tls";
import type { Arrival, ResolvedRecipient, ScreenedRecipient, Screening } from "../../core/smtp-session.ts";
import type { FaultTlsFailure, FaultDecision, FaultOccurrence } from "../../core/fault.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { MemoryObserver } from "../../core/process-resources.ts";
import type { SessionCredentials } from "../../operations/inbound/authenticate-session.ts";
import type { ListenerLog, ListenerMetrics, SessionListenerOptions } from "../lines/session-listener.ts";

/** Reason of a refusal, used as the label of the counter. */
export type SmtpRefusal =
  | "authentication"
  | "block_list"
  | "fault"
  | "greylisted"
  | "idle"
  | "internal"
  | "message_too_large"
  | "over_quota"
  | "overload"
  | "proxy_header"
  | "rate"
  | "recipient_unknown"
  | "relay_denied"
  | "routing_loop"
  | "sequence"
  | "shutdown"
  | "syntax"
  | "tls"
  | "too_many_errors"
  | "too_many_recipients"
  | "too_many_sessions"
  | "too_slow";

/** Counters of the listener; methods return at once and never throw. */
export interface SmtpMetrics extends ListenerMetrics {
  /** Counts a stored mail; `sizeBytes` of its raw form. */
  mailAccepted(sizeBytes: number): void;
  /** Counts a refused session, command or mail. */
  refused(reason: SmtpRefusal): void;
}

/** Treatment of STARTTLS. `offered`: listed by EHLO; `accepted`: works, but is not listed; `refused`: 502. */
export type StartTls = "offered" | "accepted" | "refused";

/** Log of the listener. */
export interface SmtpLog extends ListenerLog {
  readonly info: ListenerLog["debug"];
  readonly warn: ListenerLog["debug"];
}

/** Failure of a TLS handshake that takes place; `refuse` does without one. */
export type FailingHandshake = Exclude<FaultTlsFailure, "refuse">;

/** Options of an SMTP listener. */
export interface SmtpServerOptions extends Pick<SessionListenerOptions, "hosts" | "port" | "clock"> {
  /** Returns whether an address is that of a load balancer; exactly its connections start with a PROXY header. */
  readonly isProxy: (address: string) => boolean;
  /** Host name in the greeting and in the reply to EHLO; ASCII. */
  readonly hostname: string;
  /** True: MAIL before AUTH is rejected with 530 (RFC 4954 §6); false by default. */
  readonly isAuthRequired?: boolean;
  /** Returns whether clients with this address may use AUTH without TLS (538 otherwise); all may by default. */
  readonly allowsClearTextAuth?: (clientAddress: string) => boolean;
  /** True: LMTP (RFC 2033), with a reply for each recipient at the end of a mail; false, by default: SMTP. */
  readonly isLmtp?: boolean;
  /** True: implicit TLS (RFC 8314); false: STARTTLS where there is a secure context. */
  readonly implicitTls: boolean;
  /** Returns how STARTTLS is treated in sessions of a client with this address. */
  readonly startTlsFor: (clientAddress: string) => StartTls;
  /** Called when a client ends a connection during the TLS handshake or before its first command after it. */
  readonly onTlsFailure: (error: Error | null) => void;
  /** Returns the current secure context, called for every handshake; undefined: TLS is not offered. */
  readonly secureContext: () => SecureContext | undefined;
  /** Returns the secure context of a handshake that an injected fault makes fail. */
  readonly faultySecureContext: (failure: FailingHandshake) => SecureContext;
  readonly limits: Limits;
  readonly operations: SmtpOperations;
  readonly log: SmtpLog;
  readonly metrics: SmtpMetrics;
  /** Observer of the memory of mails in flight; none by default. */
  readonly memory?: Pick<MemoryObserver, "watch">;
}

/** Operations that the SMTP listener depends on. */
export interface SmtpOperations {
  /**
   * Returns the server of the credentials; null when they are accepted without a server, so that the recipients decide;
   * undefined when they are wrong (535). Rejects with `too_many_requests` (421) after too many wrong credentials from
   * one address.
   */
  authenticate(credentials: SessionCredentials): Promise<ServerId | null | undefined>;

  /**
   * Returns the injected faults of a stage; null when no rule applies, and null instead of a promise when there are no rules,
   * so that sessions without rules do not wait.
   */
  decideFault(occurrence: FaultOccurrence): Promise<FaultDecision | null> | null;

  /**
   * Returns the reason against a recipient of a client without AUTH, called before {@link resolveRecipient}; null for none.
   * Present where mail arrives from the Internet: replies to such clients do not name messages.
   */
  readonly screenRecipient?: (recipient: ScreenedRecipient) => Promise<Screening | null> | Screening | null;

  /**
   * Returns the server for `address` (as given, without angle brackets, letter case kept); undefined rejects the recipient
   * with 550 5.1.1. Returning a value instead of a promise lets pipelined recipients be answered in one write.
   */
  resolveRecipient(
    address: string,
    authenticatedAs: ServerId | null,
  ): Promise<ServerId | undefined> | ServerId | undefined;

  /**
   * Rejects with `quota_exceeded` (452 4.2.2) when the server is known to have no room for a mail of the declared size (0
   * without one); returns null when nothing is known. The store decides at the end of the mail.
   */
  requireRoom(server: ServerId, sizeBytes: number): Promise<void> | null;

  /**
   * Waits until a mail of this size may be parsed and stored, which takes a multiple of its size in memory; the returned
   * function releases the memory. Rejects with `unavailable` after a time-out. Returns null for small mails.
   */
  admit(sizeBytes: number, recipients: readonly ResolvedRecipient[]): Promise<() => void> | null;

  /**
   * Stores one mail; resolves after the commit, before the reply 250, with the ids of its messages, which the reply names. A `Problem` is answered with the SMTP reply of its
   * row, any other error with 451 4.3.0. Never called for an incomplete mail.
   */
  receive(arrival: Arrival): Promise<readonly MessageId[]>;
}

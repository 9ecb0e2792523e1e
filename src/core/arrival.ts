import type { FaultHit, LateDelivery } from "./fault.ts";
import type { SmtpSession } from "./smtp-session.ts";
import type { MessageId, ServerId } from "./ids.ts";

/** Accepted RCPT and the server it was resolved to. */
export interface ResolvedRecipient {
  /** Address as sent, without angle brackets. */
  readonly address: string;
  readonly server: ServerId;
}

/** Mail as a listener received it: envelope, session and raw bytes. */
export interface Arrival {
  /** Reverse-path; "" for the null reverse-path of bounces (RFC 5321 §4.5.5). */
  readonly mailFrom: string;
  /** At least one; in the order of the RCPT commands. */
  readonly recipients: readonly ResolvedRecipient[];
  /** Mail as sent, dot-unstuffed, without the final dot and without added fields. */
  readonly raw: Uint8Array;
  readonly session: SmtpSession;
  /**
   * Returns the encoded transcript of the session for a server, without recipients of others; see `transcript.ts`. `id` is that
   * of the server's message, which the reply names.
   */
  readonly transcript?: (server: ServerId, id: MessageId) => string;
  /** Instant of its MAIL command, in milliseconds of `Clock.monotonicMs`; absent where no session brought it. */
  readonly beganAt?: number;
  /** Faults that applied before the mail was accepted; none by default. */
  readonly faults?: readonly FaultHit[];
  /** Servers in which the mail becomes visible later; the first entry of a server counts. None by default. */
  readonly late?: readonly LateDelivery[];
}

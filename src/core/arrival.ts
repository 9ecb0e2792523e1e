import type { SmtpSession } from "./smtp-session.ts";
import type { ServerId } from "./ids.ts";

/** One accepted RCPT and the server it was resolved to. */
export interface ResolvedRecipient {
  /** As given, without angle brackets, letter case kept. */
  readonly address: string;
  readonly server: ServerId;
}

/** A mail as a door hands it in: everything that was said about it, and its bytes. */
export interface Arrival {
  /** Reverse-path; "" for the null one of bounces (RFC 5321 §4.5.5). */
  readonly mailFrom: string;
  /** At least one; in the order of the RCPT commands. */
  readonly recipients: readonly ResolvedRecipient[];
  /** The mail as sent, dot-unstuffed, without the final dot; nothing added. */
  readonly raw: Uint8Array;
  readonly session: SmtpSession;
}

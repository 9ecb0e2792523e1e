import type { Arrival, ResolvedRecipient } from "../../core/arrival.ts";
import type { FaultDecision, FaultOccurrence } from "../../core/fault.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { SaslProof } from "../../core/smtp-session.ts";

/** Decoded credentials of AUTH. */
export interface SmtpCredentials {
  readonly user: string;
  readonly proof: SaslProof;
  /** Address of the client, by which wrong credentials are throttled. */
  readonly clientAddress: string;
}

/** Operations that the SMTP listener depends on. */
export interface SmtpOperations {
  /**
   * Returns the server of the credentials; null when they are accepted without a server, so that the recipients decide;
   * undefined when they are wrong (535). Rejects with `too_many_requests` (421) after too many wrong credentials from
   * one address.
   */
  authenticate(credentials: SmtpCredentials): Promise<ServerId | null | undefined>;

  /**
   * Returns the injected faults of a stage; null when no rule applies, and null instead of a promise when there are no rules,
   * so that sessions without rules do not wait.
   */
  decideFault(occurrence: FaultOccurrence): Promise<FaultDecision | null> | null;

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

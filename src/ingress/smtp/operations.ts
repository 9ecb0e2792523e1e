import type { Arrival, ResolvedRecipient } from "../../core/arrival.ts";
import type { ServerId } from "../../core/ids.ts";

/** What an AUTH exchange gave, decoded. */
export interface SmtpCredentials {
  readonly user: string;
  readonly password: string;
  /** Address of the client, so that wrong passwords can be throttled by it. */
  readonly clientAddress: string;
}

/** What the SMTP door asks of the house behind it. */
export interface SmtpOperations {
  /**
   * Returns the server that these credentials open; null when they are accepted and open none, so that recipients decide;
   * undefined when they are wrong, which the client learns as 535.
   * Rejects with `too_many_requests` (421, the session ends) after too many wrong passwords from one address.
   */
  authenticate(credentials: SmtpCredentials): Promise<ServerId | null | undefined>;

  /**
   * The server that takes mail for `address` (as given, without angle brackets, letter case kept); undefined refuses
   * the recipient with 550 5.1.1. A value that is ready is better returned than promised: pipelined recipients are
   * then answered in one write.
   */
  resolveRecipient(
    address: string,
    authenticatedAs: ServerId | null,
  ): Promise<ServerId | undefined> | ServerId | undefined;

  /**
   * Rejects with `quota_exceeded` (452 4.2.2) when the server is known to have no room for a mail of the size that MAIL
   * declared, 0 for none; null when nothing is known. The store decides at the end of the mail.
   */
  requireRoom(server: ServerId, sizeBytes: number): Promise<void> | null;

  /**
   * Waits until a mail of so many bytes may be read and stored, which takes a multiple of its size in memory; the returned
   * function ends it. Rejects with `unavailable` when that takes too long. Small mails are admitted at once.
   */
  admit(sizeBytes: number, recipients: readonly ResolvedRecipient[]): Promise<() => void> | null;

  /**
   * Stores one mail; resolves after the commit, and only then the client reads 250. A `Problem` is answered with its
   * row's SMTP reply, anything else with 451 4.3.0. Never called for a mail whose end was not seen.
   */
  receive(arrival: Arrival): Promise<void>;
}

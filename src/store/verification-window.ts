/** Rate limit of verification mails, which every store applies in the transaction that adds one. */
import { Problem } from "../core/errors.ts";

/** Time between two verification mails to one address, in milliseconds. */
export const verificationPauseMs = 3_600_000;

/**
 * Throws `too_many_requests` with the seconds to wait if a verification mail was sent to the address within the hour before
 * `now`. An instant more than an hour ahead, left by a clock that was set back, is ignored. Both in milliseconds since the
 * Unix epoch.
 */
export function refuseRepeatedVerification(askedAt: number | null, now: number): void {
  if (askedAt === null || Math.abs(now - askedAt) >= verificationPauseMs) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((askedAt + verificationPauseMs - now) / 1000));
  const text = "The owner of this address was asked within the last hour; retry later";
  throw new Problem("too_many_requests", { text, retryAfterSeconds });
}

/** Returns the id of the outbox entry with the verification mail of an address. */
export function verificationEntryId(addressId: string): string {
  return `verification ${addressId}`;
}

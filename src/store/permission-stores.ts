/** Contracts of the parts of the store for verified addresses, idempotency keys, phone numbers and phrases. */
import type { MessageId } from "../core/ids.ts";
import type { OwnedNumber } from "../core/phone-number.ts";
import type { VerifiedAddress } from "../core/verified-address.ts";
import type { OutboundEntries } from "./outbox-store.ts";
import { Problem } from "../core/errors.ts";

/** Addresses that outbound mail may go to, verified or pending. Compared without regard to letter case. */
export interface VerifiedAddressStore {
  /**
   * Adds an address and, in the same transaction, its verification mail, an entry with the id `verificationEntryId`.
   * Rejects with `conflict` if the address or the id exists, and with `too_many_requests` if a verification mail was added
   * for this address within the hour before `createdAt`, even if the address was removed since.
   */
  addVerifiedAddress(address: VerifiedAddress, outbound?: OutboundEntries): Promise<void>;
  /** Returns all addresses, in their order. */
  listVerifiedAddresses(): Promise<readonly VerifiedAddress[]>;
  getVerifiedAddress(id: string): Promise<VerifiedAddress | undefined>;
  findVerifiedAddress(address: string): Promise<VerifiedAddress | undefined>;
  /** Marks an address as `Verified` and deletes its token and verification mail; undefined when there is no such address. */
  verifyAddress(id: string): Promise<VerifiedAddress | undefined>;
  /** Removes an address and its verification mail; returns false when there is no such address. */
  removeVerifiedAddress(id: string): Promise<boolean>;
}

/** Request with an `Idempotency-Key`, and the message it created. */
export interface IdempotentRequest {
  /** Id of the API key, and the operation. */
  readonly scope: string;
  /** Value of the header. */
  readonly key: string;
  /** Lower-case hex SHA-256 of the request. */
  readonly fingerprint: string;
  readonly message: MessageId;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Requests with an `Idempotency-Key`. `addMessages` writes them in the transaction of their message. */
export interface IdempotencyStore {
  findIdempotentRequest(scope: string, key: string): Promise<IdempotentRequest | undefined>;
  /** Deletes requests made before an instant; returns their number. */
  deleteIdempotentRequests(before: number): Promise<number>;
}

/** Changes to a phone number. */
export type PhoneNumberChange = Partial<Pick<OwnedNumber, "server" | "provider" | "sealedSecrets" | "webhook">>;

/** Phone numbers, each of one server. They are deleted with it. */
export interface PhoneNumberStore {
  /** Adds a number. Rejects with `conflict` when it is taken, with `not_found` when its server does not exist. */
  addPhoneNumber(record: OwnedNumber): Promise<void>;
  /**
   * Changes a number; absent members stay as they are. Overwrites former secrets on disk where the database allows it.
   * Returns undefined when there is no such number; rejects with `not_found` when the new server does not exist.
   */
  updatePhoneNumber(id: string, change: PhoneNumberChange): Promise<OwnedNumber | undefined>;
  /** Returns all numbers, in their order. */
  listPhoneNumbers(): Promise<readonly OwnedNumber[]>;
  findPhoneNumber(number: string): Promise<OwnedNumber | undefined>;
  /** Removes a number; returns false when there is no such number. */
  removePhoneNumber(id: string): Promise<boolean>;
}

/** Approved phrases for SMS. */
export interface PhraseStore {
  /** Returns the phrases in the order in which they were set; null when they were never set. */
  getPhrases(): Promise<readonly string[] | null>;
  setPhrases(phrases: readonly string[]): Promise<void>;
}

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

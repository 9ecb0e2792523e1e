/** The parts of the store's contract that say what may leave and by which number; and what was asked for before. */
import type { MessageId } from "../core/ids.ts";
import type { OwnedNumber } from "../core/owned-number.ts";
import type { VerifiedAddress } from "../core/verified-address.ts";
import type { OutboundEntries } from "./outbox-store.ts";

/** Addresses that mail may go to, and those that wait for their owner's word. Compared without regard to letter case. */
export interface VerifiedAddressStore {
  /**
   * Adds the address and, in the same transaction, the mail that asks its owner, as an entry `verificationEntryId`. Rejects
   * with `conflict` if the address or the id exists; if there is an entry, with `too_many_requests` when one was added for
   * this address within the hour before `createdAt`, even if the address was removed since.
   */
  addVerifiedAddress(address: VerifiedAddress, departure?: OutboundEntries): Promise<void>;
  /** By address. */
  listVerifiedAddresses(): Promise<readonly VerifiedAddress[]>;
  getVerifiedAddress(id: string): Promise<VerifiedAddress | undefined>;
  findVerifiedAddress(address: string): Promise<VerifiedAddress | undefined>;
  /** Makes it `Verified`, forgets the token and the mail that asks; undefined when it is not there. */
  verifyAddress(id: string): Promise<VerifiedAddress | undefined>;
  /** Removes the address and the mail that asks its owner; false when it is not there. */
  removeVerifiedAddress(id: string): Promise<boolean>;
}

/** A request that carried an `Idempotency-Key`, and the message it made. */
export interface IdempotentRequest {
  /** Who asked for what: the key's id and the operation. */
  readonly scope: string;
  /** What the caller chose. */
  readonly key: string;
  /** Lower-case hex SHA-256 of the request. */
  readonly fingerprint: string;
  readonly message: MessageId;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Requests that may be repeated. Written by `addMessages`, in the transaction of their message. */
export interface IdempotencyStore {
  findIdempotentRequest(scope: string, key: string): Promise<IdempotentRequest | undefined>;
  /** Forgets those made before an instant; answers how many. */
  deleteIdempotentRequests(before: number): Promise<number>;
}

/** Changes to a phone number. */
export type PhoneNumberChange = Partial<Pick<OwnedNumber, "server" | "provider" | "sealedSecrets" | "webhook">>;

/** Phone numbers, each of one server. They go with their server. */
export interface PhoneNumberStore {
  /** Rejects with `conflict` when the number is taken, with `not_found` when its server does not exist. */
  addPhoneNumber(record: OwnedNumber): Promise<void>;
  /** Puts other secrets in the place of a number's, and overwrites those where it can; false when it is not there. */
  setNumberSecrets(id: string, sealedSecrets: Uint8Array): Promise<boolean>;
  /**
   * Changes a number; absent members stay as they are. Secrets that are replaced are overwritten where the database
   * allows it. Undefined when there is no such number; rejects with `not_found` when the new server does not exist.
   */
  updatePhoneNumber(id: string, change: PhoneNumberChange): Promise<OwnedNumber | undefined>;
  /** By number. */
  listPhoneNumbers(): Promise<readonly OwnedNumber[]>;
  findPhoneNumber(number: string): Promise<OwnedNumber | undefined>;
  /** False when it is not there. */
  removePhoneNumber(id: string): Promise<boolean>;
}

/** The phrases that a text may consist of. */
export interface PhraseStore {
  /** In the order in which they were set; null when they never were. */
  getPhrases(): Promise<readonly string[] | null>;
  setPhrases(phrases: readonly string[]): Promise<void>;
}

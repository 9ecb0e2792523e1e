/** Groups of messages that a person would call the same. */
import type { MessageId } from "./ids.ts";
import type { MessageType } from "./message.ts";

/** Fields in which messages of a group may differ. */
export const duplicateFields = ["messageId", "date", "from", "subject", "code", "link", "attachment", "text"] as const;

/** Field in which messages of a group differ. */
export type DuplicateField = (typeof duplicateFields)[number];

/** Message of a group. */
export interface DuplicateMessage {
  readonly id: MessageId;
  /** ISO 8601 in UTC with milliseconds. */
  readonly received: string;
  /** Message-ID with its angle brackets; null for an SMS, and for a mail without one. */
  readonly messageId: string | null;
  /** Milliseconds since the message of the group that arrived before; null for the oldest. */
  readonly delayMs: number | null;
}

/** Difference between the messages of a group. */
export interface DuplicateDifference {
  readonly field: DuplicateField;
  /** Value of each message, in the order of the messages, shortened; null for a message without one. */
  readonly values: readonly (string | null)[];
}

/** Messages with the same content for the same recipients. */
export interface DuplicateGroup {
  readonly type: MessageType;
  /** Subject of the newest message. */
  readonly subject: string;
  /** Addresses or phone numbers that received all messages of the group. */
  readonly recipients: readonly string[];
  /** Number of messages, including those that are not listed. */
  readonly count: number;
  /** Newest messages, newest first. */
  readonly messages: readonly DuplicateMessage[];
  readonly differences: readonly DuplicateDifference[];
}

/** Messages that a request compares by default, and at most. */
export const comparedMessageCountDefault = 500;
/** Bound of the time and memory of a request. */
export const comparedMessageCountMax = 1000;
/** Bytes of raw mails and details that a request reads. */
export const comparedBytesMax: number = 128 * 1024 * 1024;
/** Time after which a request compares no further messages, in milliseconds. */
export const comparedMsMax = 20_000;
/** Groups in a response. */
export const duplicateGroupCountMax = 100;
/** Messages and differences that are listed of a group. */
export const listedDuplicateCountMax = 20;
/** Differences that are listed of a group. */
export const duplicateDifferenceCountMax = 50;
/** Recipients of a message that are compared; of more, the first in alphabetical order. */
export const comparedRecipientCountMax = 50;

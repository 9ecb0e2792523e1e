import type { ServerId } from "../core/ids.ts";

/** Receiver of the progress of a transfer. */
export interface Progress {
  /** Sets the total, if it is known: messages of an export, bytes of a file, files of a folder. */
  expect(total: number): void;
  /** Adds completed units, messages, and bytes of messages. */
  advance(by: { readonly done?: number; readonly messages?: number; readonly bytes?: number }): void;
}

/** Counts of a transfer. */
export interface TransferResult {
  readonly servers: number;
  /** Messages that were written or stored. */
  readonly messages: number;
  /** Messages that already existed. */
  readonly existing: number;
  /** SMS that the format cannot contain. */
  readonly smsOmitted: number;
  /** Pending deliveries, which stay in the outbox of their store. */
  readonly waiting: number;
  /** Servers that got new SMTP passwords, because theirs were encrypted with another secret key. */
  readonly passwordResets: readonly ServerId[];
  /** Sentences about what was not imported. */
  readonly skipped: readonly string[];
}

/** Result of a transfer of nothing. */
export const emptyTransfer: TransferResult = {
  servers: 0,
  messages: 0,
  existing: 0,
  smsOmitted: 0,
  waiting: 0,
  passwordResets: [],
  skipped: [],
};

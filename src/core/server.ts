import type { ServerId } from "./ids.ts";
import type { ServerQuota } from "./server-quota.ts";

/** Retention rules of a server; null disables a rule. Both are disabled by default. */
export interface Retention {
  /** Maximum age of messages in seconds. */
  readonly ageSecondsMax: number | null;
  /** Maximum number of messages; the oldest are removed. */
  readonly messageCountMax: number | null;
}

/** Effects that a deletion by POP3 or IMAP can have. */
export const readerDeletions = ["delete", "hide", "refuse"] as const;

/**
 * Effect of a deletion by POP3 or IMAP: the message is deleted from the server, or hidden from the reader that deletes it, or
 * the command is refused with a reason.
 */
export type ReaderDeletion = (typeof readerDeletions)[number];

/** Effect where none was chosen. */
export const defaultReaderDeletion: ReaderDeletion = "delete";

/** Container of messages, isolated from all others. */
export interface Server {
  readonly id: ServerId;
  readonly name: string;
  /** Ids of users with access, as given; the service attaches no meaning to them. */
  readonly users: readonly string[];
  /** Number of messages in both directions. */
  readonly messages: number;
  /** Bytes of these messages, by `storedBytes`. */
  readonly bytes: number;
  /** Quota of its own; the default of all servers applies where a member is null. */
  readonly quota: ServerQuota;
  readonly retention: Retention;
  readonly readerDeletion: ReaderDeletion;
  /** Number of messages that retention has removed since the server was created. */
  readonly retired: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /**
   * UIDVALIDITY of its mailboxes (RFC 9051 section 2.3.1.1). UIDs are numbers of changes, which begin again when a server is
   * created, imported or restored: it has a greater value then.
   */
  readonly uidValidity: number;
  /** When the server is deleted with its messages, in milliseconds since the Unix epoch; null for never. */
  readonly expiresAt: number | null;
}

/** Changes to a server; absent members stay as they are. */
export interface ServerChange {
  readonly name?: string;
  readonly users?: readonly string[];
  readonly retention?: Partial<Retention>;
  readonly quota?: Partial<ServerQuota>;
  readonly readerDeletion?: ReaderDeletion;
}

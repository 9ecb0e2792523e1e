import type { MessageId } from "../../core/ids.ts";
import type { MailboxAccess, MailboxCredentials } from "../../operations/mailboxes/access-mailbox.ts";
import type { MailAccessOptions } from "../lines/sasl.ts";

/** Mail that is read in chunks. */
export interface Pop3Mail {
  readonly sizeBytes: number;
  /** Yields the bytes in order. Throws `not_found` when the message is deleted meanwhile. */
  read(): AsyncIterable<Uint8Array>;
}

/** Operations that the POP3 listener depends on. */
export interface Pop3Operations {
  /** Returns the server of credentials; undefined for wrong ones. Rejects with `too_many_requests` after too many. */
  access(credentials: MailboxCredentials): Promise<MailboxAccess | undefined>;
  /** Returns the received messages that the reader sees and that were stored last, at most `countMax`, in the order in which they were stored. */
  list(access: MailboxAccess, countMax: number): Promise<readonly MessageId[]>;
  /** Returns the sizes of mails in bytes; 0 for those that no longer exist. */
  measure(access: MailboxAccess, ids: readonly MessageId[]): Promise<readonly number[]>;
  /** Opens a mail; undefined when it no longer exists. */
  open(access: MailboxAccess, id: MessageId): Promise<Pop3Mail | undefined>;
  /** Returns whether the server lets clients delete messages now. */
  mayDelete(access: MailboxAccess): Promise<boolean>;
  /** Deletes messages, or hides them from the reader; calls `onFailure` for each that cannot be deleted. Rejects as `deleteMails` does. */
  remove(access: MailboxAccess, ids: readonly MessageId[], onFailure: (error: unknown) => void): Promise<void>;
  /** Returns whether the credentials are still valid. */
  isOpen(access: MailboxAccess): Promise<boolean>;
}

/** Options of a POP3 listener. */
export type Pop3ServerOptions = MailAccessOptions<Pop3Operations>;

import { signInMsMax } from "../../core/arrival-rate.ts";
import type { MessageId } from "../../core/ids.ts";
import type { MailboxAccess, MailboxCredentials } from "../../operations/mailboxes/access-mailbox.ts";
import { sessionBounds, startLineListener } from "../lines/line-listener.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import type { MailAccessOptions } from "../lines/sasl.ts";
import type { MaildropLocks } from "./locks.ts";
import { type Pop3Context, runPop3Session } from "./session.ts";

/** Mail that is read in chunks. */
interface Pop3Mail {
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

/** Idle time of an authenticated session; at least 10 minutes (RFC 1939 section 3). */
const authenticatedIdleMsMax = 600_000;

/** Opens a POP3 listener; rejects when the address cannot be bound. `locks` are shared by all listeners of a service. */
export async function startPop3Server(options: Pop3ServerOptions, locks: MaildropLocks): Promise<OpenListener> {
  const { limits } = options;
  const context: Pop3Context = { ...options, locks };
  return await startLineListener({
    ...options,
    protocol: "POP3",
    lineBytesMax: limits.commandLineBytesMax,
    idleMsMax: limits.smtpIdleMsMax,
    signInMsMax,
    authenticatedIdleMsMax,
    writeMsMax: limits.writeMsMax,
    ...sessionBounds(limits),
    refusal: "-ERR [SYS/TEMP] Too many sessions\r\n",
    runSession: async (connection) => {
      await runPop3Session(connection, context);
    },
  });
}

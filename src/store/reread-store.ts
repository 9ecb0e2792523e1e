import type { MessageId } from "../core/ids.ts";
import type { NewMessage } from "./store.ts";

/** A mail that could not be read when it arrived and is to be read again from its raw bytes. */
export interface Reread {
  readonly message: MessageId;
  /** Attempts so far, the claimed one included. */
  readonly attempts: number;
}

/** Lease on mails that are due to be read again. */
export interface RereadClaim {
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly now: number;
  /** Until then no other claim gets the same mails; they are due again afterwards. */
  readonly leasedUntil: number;
  readonly countMax: number;
}

/** Mails to be read again. Entries are made by `addMessages` (see `InsertOptions`), in the transaction of their messages. */
export interface RereadStore {
  /** Leases entries that are due, the earliest first, and counts an attempt of each. */
  claimRereads(claim: RereadClaim): Promise<readonly Reread[]>;
  /** Makes an entry due at an instant; null removes it, so that the mail stays as it is. */
  postponeReread(message: MessageId, dueAt: number | null): Promise<void>;
  /** Number of entries. */
  countRereads(): Promise<number>;
  /**
   * Replaces summary, detail and search keys of a stored message with the same id and raw bytes, and removes its entry.
   * The journal shows a deletion and a new receipt; usage and outbox stay as they are. Answers the number of the latter
   * change, or undefined when there is no such message.
   */
  replaceMessage(message: NewMessage): Promise<number | undefined>;
}

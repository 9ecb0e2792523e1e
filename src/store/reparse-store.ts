import type { MessageId } from "../core/ids.ts";
import type { NewMessage } from "./store.ts";

/** Mail that could not be parsed when it arrived and is due to be parsed again from its raw bytes. */
export interface Reparse {
  readonly message: MessageId;
  /** Number of attempts, including the claimed one. */
  readonly attempts: number;
}

/** Lease on mails that are due to be parsed again. */
export interface ReparseClaim {
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly now: number;
  /** Until then no other claim gets the same mails; they are due again afterwards. */
  readonly leasedUntil: number;
  readonly countMax: number;
}

/** Queue of mails to be parsed again. `addMessages` adds entries in the transaction of their messages (see `InsertOptions`). */
export interface ReparseStore {
  /** Leases due entries, the longest due first, and counts one more attempt of each. */
  claimReparses(claim: ReparseClaim): Promise<readonly Reparse[]>;
  /** Makes an entry due at an instant; null removes it and leaves the mail as it is. */
  postponeReparse(message: MessageId, dueAt: number | null): Promise<void>;
  /** Number of entries. */
  countReparses(): Promise<number>;
  /**
   * Replaces summary, detail and search keys of a stored message with the same id and raw bytes, and removes its entry.
   * The journal shows a deletion and a new receipt; usage and outbox stay as they are. Returns the number of the second
   * change, undefined when there is no such message.
   */
  replaceMessage(message: NewMessage): Promise<number | undefined>;
}

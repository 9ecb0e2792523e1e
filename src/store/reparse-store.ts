import type { MessageId } from "../core/ids.ts";
import type { LeasedQueue } from "./leased-queue.ts";
import type { NewMessage } from "./store.ts";

/** Mail that could not be parsed when it arrived and is due to be parsed again from its raw bytes. */
export interface Reparse {
  readonly id: MessageId;
  /** Number of attempts, including the claimed one. */
  readonly attempts: number;
}

/** Mails to be parsed again. `addMessages` adds entries in the transaction of their messages (see `InsertOptions`). */
export interface ReparseStore {
  /** The mails. Work without keys. */
  readonly queue: LeasedQueue<Reparse>;
  /**
   * Replaces summary, detail and search keys of a stored message with the same id and raw bytes, and removes its entry.
   * The journal shows a deletion and a new receipt; usage and outbox stay as they are. Returns the number of the second
   * change, undefined when there is no such message.
   */
  replaceMessage(message: NewMessage): Promise<number | undefined>;
}

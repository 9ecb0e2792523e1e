import { MailboxIndex, type MailboxIndexDependencies, type MailboxPlace } from "./mailbox-index.ts";

/** Open mailbox of a session. */
export interface OpenMailbox {
  readonly index: MailboxIndex;
  /** Releases the mailbox; idempotent. */
  readonly release: () => void;
}

/** Mailboxes that sessions have open, each in memory once. */
export class MailboxIndexes {
  readonly #context: MailboxIndexDependencies;
  readonly #open = new Map<string, { readonly index: MailboxIndex; sessionCount: number }>();

  constructor(context: MailboxIndexDependencies) {
    this.#context = context;
  }

  /** Opens a mailbox as it is now. Rejects with the problems of the store. */
  async open(place: MailboxPlace): Promise<OpenMailbox> {
    const key = `${place.server} ${place.direction}`;
    const present = this.#open.get(key);
    // A server that was created again has new UIDs.
    const shared =
      present === undefined || present.index.isReplaced
        ? { index: new MailboxIndex(this.#context, place), sessionCount: 0 }
        : present;
    this.#open.set(key, shared);
    shared.sessionCount += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      shared.sessionCount -= 1;
      if (shared.sessionCount > 0) return;
      shared.index.close();
      if (this.#open.get(key) === shared) this.#open.delete(key);
    };
    try {
      await shared.index.refresh(true);
    } catch (error) {
      release();
      throw error;
    }
    return { index: shared.index, release };
  }
}

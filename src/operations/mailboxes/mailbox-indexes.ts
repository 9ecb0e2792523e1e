import type { Context } from "../context.ts";
import { MailboxIndex, type MailboxPlace } from "./mailbox-index.ts";

/** Mailboxes that no session has open and that stay in memory for the next session. */
const idleMailboxCountMax = 32;
/** Messages of those mailboxes, 20 bytes each. */
const idleMessageCountMax = 500_000;

/** Open mailbox of a session. */
export interface OpenMailbox {
  readonly index: MailboxIndex;
  /** Releases the mailbox; idempotent. */
  readonly release: () => void;
}

interface SharedIndex {
  readonly index: MailboxIndex;
  sessionCount: number;
}

/**
 * Mailboxes that sessions have open, each in memory once. The last ones that were open stay there, within bounds: clients
 * that poll open a mailbox each time, and reading 100,000 ids takes most of a second.
 */
export class MailboxIndexes {
  readonly #context: Context;
  /** By mailbox; of those without sessions, the one that was released least recently comes first. */
  readonly #kept = new Map<string, SharedIndex>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Number of messages of a mailbox in memory that no session has been notified of; 0 for others. */
  recentCount(place: MailboxPlace): number {
    return this.#kept.get(keyOf(place))?.index.recentCount ?? 0;
  }

  /** Opens a mailbox as it is now. Rejects with the problems of the store. */
  async open(place: MailboxPlace): Promise<OpenMailbox> {
    const isKept = this.#kept.has(keyOf(place));
    const opened = await this.#openOnce(place);
    if (!isKept || !opened.index.isReplaced) return opened;
    // A server that was created again has new UIDs.
    opened.release();
    return await this.#openOnce(place);
  }

  async #openOnce(place: MailboxPlace): Promise<OpenMailbox> {
    const key = keyOf(place);
    const present = this.#kept.get(key);
    if (present?.index.isReplaced === true) this.#drop(key, present);
    const shared = this.#kept.get(key) ?? { index: new MailboxIndex(this.#context, place), sessionCount: 0 };
    this.#kept.set(key, shared);
    shared.sessionCount += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#release(key, shared);
    };
    try {
      await shared.index.refresh(true);
    } catch (error) {
      release();
      throw error;
    }
    return { index: shared.index, release };
  }

  #release(key: string, shared: SharedIndex): void {
    shared.sessionCount -= 1;
    if (shared.sessionCount > 0) return;
    if (this.#kept.get(key) !== shared) {
      shared.index.close();
      return;
    }
    this.#kept.delete(key);
    this.#kept.set(key, shared);
    this.#evict();
  }

  /** Drops the mailboxes without sessions that exceed the bounds. */
  #evict(): void {
    const idle = Array.from(this.#kept).filter(([, { sessionCount }]) => sessionCount === 0);
    let messageCount = idle.reduce((sum, [, { index }]) => sum + index.uids.length, 0);
    for (const [at, [key, shared]] of idle.entries()) {
      if (messageCount <= idleMessageCountMax && idle.length - at <= idleMailboxCountMax) return;
      messageCount -= shared.index.uids.length;
      this.#drop(key, shared);
    }
  }

  /** Forgets a mailbox; sessions that have it open keep it until they release it. */
  #drop(key: string, shared: SharedIndex): void {
    this.#kept.delete(key);
    if (shared.sessionCount === 0) shared.index.close();
  }
}

function keyOf({ server, direction }: MailboxPlace): string {
  return `${server} ${direction}`;
}

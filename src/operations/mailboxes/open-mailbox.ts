/** Open mailboxes: the indexes that sessions share, and the messages that each reader sees, without those that it has hidden from itself. */
import { mainTurns } from "../../core/shared-turns.ts";
import { identityCountMax, type MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import type { MailboxAccess } from "./access-mailbox.ts";
import { lowerBound } from "./identity-arrays.ts";
import { MailboxIndex, type MailboxPlace } from "./mailbox-index.ts";

/** Returns the name of a reader in hidden marks: the id of its key, which outlives new secrets, or `password`. */
export function readerOf({ principal, isOpen }: Pick<MailboxAccess, "principal" | "isOpen">): string {
  return isOpen === null ? "password" : principal.keyId;
}

/**
 * Yields pages of the messages of both mailboxes that the reader has hidden; those that change meanwhile may come twice.
 * Rejects with the problems of the store.
 */
export async function* hiddenPages(
  { store }: Context,
  access: Pick<MailboxAccess, "server" | "principal" | "isOpen">,
): AsyncGenerator<readonly MarkedMessage[]> {
  for (let after = 0, isMore = true; isMore;) {
    const page = await store.marks.listHidden(access.server, readerOf(access), after);
    if (page.length > 0) yield page;
    await mainTurns.next();
    after = page.at(-1)?.sequence ?? after;
    isMore = page.length >= identityCountMax;
  }
}

/** UIDs that a reader sees, in 4 bytes each where it has hidden some; otherwise those of the index. */
export class MailboxView {
  readonly #index: Pick<MailboxIndex, "uids" | "uidsOf" | "takeRecent">;
  readonly #reader: string;
  /** In ascending order. */
  #hidden: Uint32Array = new Uint32Array();
  /** Not in {@link #hidden} yet. */
  #added: number[] = [];
  #all: Uint32Array = new Uint32Array();
  #visible: Uint32Array = new Uint32Array();

  constructor(index: Pick<MailboxIndex, "uids" | "uidsOf" | "takeRecent">, reader: string) {
    this.#index = index;
    this.#reader = reader;
  }

  /** UIDs in ascending order; never changes afterwards, and is the same array as long as nothing has changed. */
  get uids(): Uint32Array {
    const all = this.#index.uids;
    if (this.#hidden.length + this.#added.length === 0) return all;
    if (this.#added.length === 0 && all.buffer === this.#all.buffer && all.length === this.#all.length)
      return this.#visible;
    const hidden = new Uint32Array(this.#hidden.length + this.#added.length);
    hidden.set(this.#hidden);
    hidden.set(this.#added, this.#hidden.length);
    [this.#hidden, this.#added, this.#all] = [hidden.sort(), [], all];
    this.#visible = all.filter((uid) => !this.#isHidden(uid));
    return this.#visible;
  }

  /** Number of messages that no session has been notified of. */
  get recentCount(): number {
    return this.uids.length - lowerBound(this.uids, this.#index.takeRecent(0, false));
  }

  /** Hides those of the messages that the reader has hidden; returns whether there are new ones. */
  hide(marked: readonly Pick<MarkedMessage, "id" | "hiddenFrom">[]): boolean {
    const hidden = marked.filter(({ hiddenFrom }) => hiddenFrom?.includes(this.#reader) === true);
    if (hidden.length === 0) return false;
    const found = this.#index.uidsOf(hidden.map(({ id }) => id)).values();
    const uids = Array.from(found).filter((uid) => !this.#isHidden(uid));
    this.#added = this.#added.concat(uids);
    return uids.length > 0;
  }

  #isHidden(uid: number): boolean {
    return this.#hidden[lowerBound(this.#hidden, uid)] === uid;
  }
}

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

/** View of a reader on a mailbox: all messages but those that it has hidden from itself. */
import { mainTurns } from "../../core/shared-turns.ts";
import { identityCountMax, type MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import type { MailboxAccess } from "./access-mailbox.ts";
import { lowerBound } from "./identity-arrays.ts";
import type { MailboxIndex } from "./mailbox-index.ts";

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

/** View of a reader on a mailbox: all messages but those that it has hidden from itself. */
import type { MessageId } from "../../core/ids.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import type { MailboxAccess } from "./access-mailbox.ts";
import { lowerBound } from "./identity-arrays.ts";
import type { MailboxIndex } from "./mailbox-index.ts";

/** Returns the name of a reader in hidden marks: the id of its key, which outlives new secrets, or `password`. */
export function readerOf({ principal, keyHash }: Pick<MailboxAccess, "principal" | "keyHash">): string {
  return keyHash === null ? "password" : principal.keyId;
}

/** Returns the messages of both mailboxes that the reader has hidden. Rejects with the problems of the store. */
export async function listHidden(
  { store }: Pick<Context, "store">,
  access: Pick<MailboxAccess, "server" | "principal" | "keyHash">,
): Promise<readonly MarkedMessage[]> {
  const hidden = new Map<MessageId, MarkedMessage>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: readonly MarkedMessage[] = await store.marks.listHidden(access.server, readerOf(access), after);
    for (const one of page) hidden.set(one.id, one);
    after = page.at(-1)?.sequence;
    await mainTurns.next();
  }
  return [...hidden.values()];
}

/** UIDs that a reader sees. */
export class MailboxView {
  readonly #index: Pick<MailboxIndex, "uids" | "uidsOf">;
  readonly #reader: string;
  /** In ascending order. */
  #hidden: Uint32Array = new Uint32Array();
  #all: Uint32Array = new Uint32Array();
  #visible: Uint32Array = new Uint32Array();

  constructor(index: Pick<MailboxIndex, "uids" | "uidsOf">, reader: string) {
    this.#index = index;
    this.#reader = reader;
  }

  /** UIDs in ascending order; never changes afterwards, and is the same array as long as nothing has changed. */
  get uids(): Uint32Array {
    const all = this.#index.uids;
    if (this.#hidden.length === 0) return all;
    if (all.buffer === this.#all.buffer && all.length === this.#all.length) return this.#visible;
    this.#all = all;
    this.#visible = all.filter((uid) => this.#hidden[lowerBound(this.#hidden, uid)] !== uid);
    return this.#visible;
  }

  /** Hides those of the messages that the reader has hidden; returns whether there are new ones. */
  hide(marked: readonly Pick<MarkedMessage, "id" | "hiddenFrom">[]): boolean {
    const hidden = marked.filter(({ hiddenFrom }) => hiddenFrom?.includes(this.#reader) === true);
    if (hidden.length === 0) return false;
    const uids = new Set([...this.#hidden, ...this.#index.uidsOf(hidden.map(({ id }) => id)).values()]);
    if (uids.size === this.#hidden.length) return false;
    this.#hidden = Uint32Array.from(uids).toSorted();
    this.#all = new Uint32Array();
    return true;
  }
}

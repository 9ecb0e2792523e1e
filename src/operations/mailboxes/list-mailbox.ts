import type { ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { MessageIdentity } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";

/** Messages of a mailbox, and the number of the last change that they include. */
export interface MailboxList {
  /** By sequence number, ascending: the order in which the messages were stored. */
  readonly mails: readonly MessageIdentity[];
  readonly cursor: number;
}

/**
 * Returns the messages in a server with this direction: all, or the `countMax` that were stored last. Changes during the
 * call that are not included have numbers above the cursor.
 */
export async function listMailbox(
  { store }: Pick<Context, "store">,
  { server, direction }: { readonly server: ServerId; readonly direction: Direction },
  countMax: number = Infinity,
): Promise<MailboxList> {
  const mails: MessageIdentity[] = [];
  let cursor: number | null = null;
  for (let isMore = true; isMore;) {
    const page = await store.marks.listIdentities(server, direction, mails.at(-1)?.id ?? null);
    cursor ??= page.cursor;
    for (const identity of page.identities) mails.push(identity);
    isMore = page.hasMore;
  }
  const ordered = mails.toSorted((a, b) => a.sequence - b.sequence);
  return { mails: ordered.slice(Math.max(0, ordered.length - countMax)), cursor: cursor ?? 0 };
}

import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { IdentityPage, MessageIdentity } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";

/** Messages of a mailbox, and the number of the last change that they include. */
export interface MailboxList {
  /** By sequence number, ascending: the order in which the messages were stored. */
  readonly mails: readonly MessageIdentity[];
  readonly cursor: number;
}

/**
 * Returns the messages in a server with this direction, without `hidden` ones: all, or the `countMax` that were stored last. Changes during the
 * call that are not included have numbers above the cursor.
 */
export async function listMailbox(
  { store }: Pick<Context, "store">,
  { server, direction }: { readonly server: ServerId; readonly direction: Direction },
  { countMax = Infinity, hidden }: { readonly countMax?: number; readonly hidden?: ReadonlySet<MessageId> } = {},
): Promise<MailboxList> {
  const mails: MessageIdentity[] = [];
  let cursor: number | null = null;
  for (let after: MessageId | null = null, isMore = true; isMore;) {
    const page: IdentityPage = await store.marks.listIdentities(server, direction, after);
    cursor ??= page.cursor;
    for (const identity of page.identities) if (hidden?.has(identity.id) !== true) mails.push(identity);
    after = page.identities.at(-1)?.id ?? null;
    isMore = page.hasMore;
  }
  const ordered = mails.toSorted((a, b) => a.sequence - b.sequence);
  return { mails: ordered.slice(Math.max(0, ordered.length - countMax)), cursor: cursor ?? 0 };
}

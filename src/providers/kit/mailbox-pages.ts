/** Changes of all mails of a mailbox that match a condition. */
import type { MessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import type { MailboxFilter, ProviderMailbox } from "../mailbox.ts";

/** Calls a change for the mails that match, newest first and at most a thousand at once; it leaves out those that arrive meanwhile. */
export async function changeEach(
  mailbox: Pick<ProviderMailbox, "list">,
  filter: MailboxFilter,
  change: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  let before: MessageId | undefined;
  do {
    const bounds = before === undefined ? {} : { before };
    const { ids, hasMore } = await mailbox.list({ ...filter, ...bounds, top: markedMessageCountMax });
    if (ids.length > 0) await change(ids);
    before = hasMore ? ids.at(-1) : undefined;
  } while (before !== undefined);
}

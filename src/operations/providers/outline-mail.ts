import { decodeMessageId, encodeMessageId, type MessageId } from "../../core/ids.ts";
import type { MailboxOutline } from "../../providers/mailbox.ts";
import type { Context } from "../context.ts";
import { summariesOf } from "../services/reading/summaries-of.ts";

/** Returns the outline of a mail; undefined when it does not exist. */
export async function outlineMail(
  { store }: Pick<Context, "store">,
  id: MessageId,
): Promise<MailboxOutline | undefined> {
  const { server, direction } = decodeMessageId(id);
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, afterSequence: null, direction, before: after(id) };
  const [summary] = summariesOf(await store.listMessages(server, page));
  if (summary?.id !== id) return undefined;
  const [marked] = await store.marks.readMarks(server, [id]);
  const { identities } = await store.findMessages(server, { kind: "always" }, page);
  return { excerpt: summary.summary, sequence: marked?.sequence ?? identities[0]?.sequence ?? 0 };
}

/** Returns the next id of the direction, which no message needs to have. */
function after(id: MessageId): MessageId {
  const { random, ...parts } = decodeMessageId(id);
  const isLast = random === 0xffffffff;
  return encodeMessageId(
    isLast ? { ...parts, receivedAt: parts.receivedAt + 1, random: 0 } : { ...parts, random: random + 1 },
  );
}

/** Received messages of a server as the APIs of peers list them: by an offset, newest first, with their marks. */
import { encodeMessageId, type MessageId } from "../core/ids.ts";
import { noMarks, type Marks } from "../core/marks.ts";
import type { Summary } from "../core/message.ts";
import { listMessages } from "../operations/messages/list-messages.ts";
import { readHeads, type MessageHead } from "../operations/messages/read-heads.ts";
import { markMessages } from "../operations/marks/marks.ts";
import type { Page } from "../core/criteria.ts";
import type { PeerCall } from "./peer.ts";

/** Messages that one response lists at most. */
export const listedMessageCountMax = 1000;

/** Members of a call that reading the server needs. */
export type MailboxCall = Pick<PeerCall, "context" | "server" | "principal" | "signal">;

/** Section of a list. */
export interface ListRange {
  /** Number of newer messages that are left out. */
  readonly start: number;
  /** At most {@link listedMessageCountMax}. */
  readonly limit: number;
  /** Only messages received before this instant, in milliseconds since the Unix epoch; null for no such bound. */
  readonly receivedBefore: number | null;
}

/** Message of a list. */
export interface ListedMessage extends MessageHead {
  readonly summary: Summary;
  readonly marks: Marks;
}

/** Numbers of received messages. */
export interface MailboxCounts {
  readonly total: number;
  readonly unread: number;
}

const firstPage: Page = {
  page: 0,
  itemsPerPage: 1,
  receivedAfter: null,
  direction: "Received",
  afterSequence: null,
};

/** Returns the summaries of a section of the received messages, newest first. */
export async function listRange(
  { context, principal, server }: MailboxCall,
  { start, limit, receivedBefore }: ListRange,
): Promise<readonly Summary[]> {
  if (limit === 0) return [];
  const before =
    receivedBefore === null
      ? {}
      : { before: encodeMessageId({ server, direction: "Received", receivedAt: receivedBefore, random: 0 }) };
  const first = Math.floor(start / limit);
  const read = async (page: number): Promise<readonly Summary[]> => {
    const found = await listMessages(context, principal, {
      server,
      page: { ...firstPage, page, itemsPerPage: limit, ...before },
    });
    return JSON.parse(`[${Buffer.from(found.json).toString("utf8")}]`) as readonly Summary[];
  };
  const skipped = start - first * limit;
  const page = await read(first);
  if (skipped === 0) return page;
  return [...page.slice(skipped), ...(await read(first + 1)).slice(0, skipped)];
}

/** Returns the summaries with the facts that summaries do not have, without messages that are deleted meanwhile. */
export async function readListed(
  { context, principal, server, signal }: MailboxCall,
  summaries: readonly Summary[],
): Promise<readonly ListedMessage[]> {
  const ids = summaries.map(({ id }) => id);
  const marked = new Map((await context.store.marks.readMarks(server, ids)).map(({ id, marks }) => [id, marks]));
  const byId = new Map(summaries.map((summary) => [summary.id, summary]));
  const listed: ListedMessage[] = [];
  for await (const head of readHeads({ ...context, gone: signal() }, principal, ids)) {
    const summary = byId.get(head.id);
    if (summary !== undefined) listed.push({ ...head, summary, marks: marked.get(head.id) ?? noMarks });
  }
  return listed;
}

/** Returns the numbers of received messages. */
export async function countMessages({ context, principal, server }: MailboxCall): Promise<MailboxCounts> {
  const { total } = await listMessages(context, principal, { server, page: firstPage });
  const unread = await context.store.marks.countUnseen(server, "Received");
  return { total: total ?? unread, unread };
}

/** Returns the id of the newest received message; undefined when there is none. */
export async function findNewest(call: MailboxCall): Promise<MessageId | undefined> {
  return (await listRange(call, { start: 0, limit: 1, receivedBefore: null }))[0]?.id;
}

/** Marks a message as read; does nothing for a key that may only read. */
export async function markRead({ context, principal, server }: MailboxCall, id: MessageId): Promise<void> {
  if (principal.scope !== undefined && principal.scope !== "full") return;
  await markMessages(context, principal, { server, ids: [id], change: { addFlags: ["seen"] } });
}

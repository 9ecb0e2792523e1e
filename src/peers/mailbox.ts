/** Received messages of a server as the APIs of other mail catchers list them: by an offset, newest first, with their marks. */
import type { Page } from "../core/criteria.ts";
import { and, not, type SearchExpression } from "../core/search/search-expression.ts";
import { decodeMessageId, encodeMessageId, type MessageId } from "../core/ids.ts";
import { Problem } from "../core/errors.ts";
import { markedMessageCountMax } from "../core/limits.ts";
import { noMarks, type MarkChange, type Marks } from "../core/marks.ts";
import { identityCountMax, type IdentityPage, type MarkedMessage } from "../store/mark-store.ts";
import type { SummaryPage } from "../store/store.ts";
import type { Summary } from "../core/message.ts";
import { deleteMessage } from "../operations/messages/delete-message.ts";
import { listMessages } from "../operations/messages/list-messages.ts";
import { readHeads, type MessageHead } from "../operations/messages/read-heads.ts";
import { markMessages } from "../operations/marks/marks.ts";
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

/** Returns the summaries of a section of the received messages that meet an expression, newest first. */
export async function listRange(
  call: MailboxCall,
  range: ListRange,
  expression: SearchExpression | null = null,
): Promise<readonly Summary[]> {
  const { start, limit } = range;
  if (limit === 0) return [];
  const first = Math.floor(start / limit);
  const read = async (page: number): Promise<readonly Summary[]> =>
    summariesOf(await readPage(call, { ...pageOf(call, range), page, itemsPerPage: limit }, expression));
  const skipped = start - first * limit;
  const page = await read(first);
  if (skipped === 0) return page;
  return [...page.slice(skipped), ...(await read(first + 1)).slice(0, skipped)];
}

/** Returns the page with the bounds of a range. */
function pageOf({ server }: Pick<MailboxCall, "server">, { receivedBefore }: Pick<ListRange, "receivedBefore">): Page {
  if (receivedBefore === null) return firstPage;
  const before = encodeMessageId({ server, direction: "Received", receivedAt: receivedBefore, random: 0 });
  return { ...firstPage, before };
}

async function readPage(
  { context, principal, server, signal }: MailboxCall,
  page: Page,
  expression: SearchExpression | null,
): Promise<SummaryPage> {
  if (expression === null) return await listMessages(context, principal, { server, page });
  return await context.store.searchExpression(server, expression, {
    ...page,
    caller: principal.keyId,
    signal: signal(),
  });
}

/** Returns the summary of a message; undefined when it no longer exists. */
export async function readSummary(call: MailboxCall, id: MessageId): Promise<Summary | undefined> {
  const [newest] = summariesOf(await readPage(call, { ...firstPage, before: idAfter(id) }, null));
  return newest?.id === id ? newest : undefined;
}

/** Returns the smallest id that is greater than an id. */
function idAfter(id: MessageId): MessageId {
  const parts = decodeMessageId(id);
  const isLast = parts.random === 0xffffffff;
  const next = isLast ? { receivedAt: parts.receivedAt + 1, random: 0 } : { random: parts.random + 1 };
  return encodeMessageId({ ...parts, ...next });
}

/** Yields the ids of the received messages that meet an expression, newest first, some at a time. */
export async function* findMessages(
  { context, principal, server, signal }: MailboxCall,
  expression: SearchExpression,
  receivedBefore: number | null = null,
): AsyncGenerator<readonly MessageId[], void> {
  const gone = signal();
  let page = { ...pageOf({ server }, { receivedBefore }), itemsPerPage: identityCountMax };
  for (let hasMore = true; hasMore;) {
    const found: IdentityPage = await context.store.findExpression(server, expression, {
      ...page,
      caller: principal.keyId,
      signal: gone,
    });
    const ids = found.identities.map(({ id }) => id);
    if (ids.length > 0) yield ids;
    const last = ids.at(-1);
    hasMore = found.hasMore && last !== undefined;
    if (last !== undefined) page = { ...page, before: last };
  }
}

/** Returns the numbers of received messages that meet an expression. */
export async function countFound(
  call: MailboxCall,
  expression: SearchExpression,
  receivedBefore: number | null = null,
): Promise<MailboxCounts> {
  const count = async (counted: SearchExpression): Promise<number> => {
    let sum = 0;
    for await (const ids of findMessages(call, counted, receivedBefore)) sum += ids.length;
    return sum;
  };
  const unseen = and(expression, not({ kind: "flag", flag: "seen" }));
  return { total: await count(expression), unread: await count(unseen) };
}

/**
 * Returns the items of a list, without messages that are deleted meanwhile. `toItem` gets one message at a time, whose detail
 * may have a megabyte, with the facts that summaries do not have.
 */
export async function readListed<Item>(
  { context, principal, server, signal }: MailboxCall,
  summaries: readonly Summary[],
  toItem: (listed: ListedMessage) => Item,
): Promise<readonly Item[]> {
  const ids = summaries.map(({ id }) => id);
  const marked = new Map((await context.store.marks.readMarks(server, ids)).map(({ id, marks }) => [id, marks]));
  const byId = new Map(summaries.map((summary) => [summary.id, summary]));
  const items: Item[] = [];
  for await (const head of readHeads({ ...context, gone: signal() }, principal, ids)) {
    const summary = byId.get(head.id);
    if (summary !== undefined) items.push(toItem({ ...head, summary, marks: marked.get(head.id) ?? noMarks }));
  }
  return items;
}

/** Returns the numbers of received messages. */
export async function countMessages({ context, principal, server }: MailboxCall): Promise<MailboxCounts> {
  const { total } = await listMessages(context, principal, { server, page: firstPage });
  const unread = await context.store.marks.countUnseen(server, "Received");
  return { total: total ?? unread, unread };
}

/** Returns the id of the newest received message that meets an expression; undefined when there is none. */
export async function findNewest(
  call: MailboxCall,
  expression: SearchExpression | null = null,
): Promise<MessageId | undefined> {
  return (await listRange(call, { start: 0, limit: 1, receivedBefore: null }, expression))[0]?.id;
}

/** Number of messages that are deleted at the same time, so that they share commits. */
const deletedAtOnceMax = 50;

/** Calls `action` with parts of a list. */
async function inParts<T>(
  list: readonly T[],
  countMax: number,
  action: (part: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < list.length; from += countMax) await action(list.slice(from, from + countMax));
}

/** Returns the marks of the given messages, without messages that never had any. */
export async function readMarks(
  { context, server }: MailboxCall,
  ids: readonly MessageId[],
): Promise<readonly MarkedMessage[]> {
  const marked: MarkedMessage[] = [];
  await inParts(ids, markedMessageCountMax, async (part) => {
    for (const one of await context.store.marks.readMarks(server, part)) marked.push(one);
  });
  return marked;
}

/** Changes the marks of messages; ids of no message of the server are ignored. */
export async function changeMarks(
  { context, principal, server }: MailboxCall,
  ids: readonly string[],
  change: MarkChange,
): Promise<void> {
  await inParts(ids, markedMessageCountMax, async (part) => {
    await markMessages(context, principal, { server, ids: part, change });
  });
}

/** Deletes messages, and records each in the audit log; ids of no message of the server are ignored. */
export async function deleteMessages(
  call: MailboxCall & Pick<PeerCall, "record">,
  ids: readonly string[],
): Promise<void> {
  const { context, principal } = call;
  await inParts(ids, deletedAtOnceMax, async (part) => {
    const deleteOne = async (id: string): Promise<void> => {
      try {
        await deleteMessage(context, principal, id);
      } catch (error) {
        if (error instanceof Problem && error.code === "not_found") return;
        throw error;
      }
      await call.record("message.delete", { target: id });
    };
    await Promise.all(part.map(deleteOne));
  });
}

/** Calls `action` with the ids of all received messages, some at a time, oldest first. */
export async function forAllMessages(
  { context, server }: MailboxCall,
  action: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  let after: MessageId | null = null;
  for (let hasMore = true; hasMore;) {
    const page: IdentityPage = await context.store.marks.listIdentities(server, "Received", after);
    const ids = page.identities.map(({ id }) => id);
    await action(ids);
    after = ids.at(-1) ?? null;
    hasMore = page.hasMore && after !== null;
  }
}

function summariesOf({ json }: SummaryPage): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
}

/** Marks a message as read; does nothing for a key that may only read. */
export async function markRead({ context, principal, server }: MailboxCall, id: MessageId): Promise<void> {
  if (principal.scope !== undefined && principal.scope !== "full") return;
  await markMessages(context, principal, { server, ids: [id], change: { addFlags: ["seen"] } });
}

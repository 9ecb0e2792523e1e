/** Received messages of a server as the APIs of other mail catchers list them: by an offset, newest first, with their marks. */
import { summariesOf } from "../operations/services/reading/stored-detail.ts";
import type { Change } from "../core/events.ts";
import type { Page } from "../core/criteria.ts";
import { foldText } from "../core/fold.ts";
import { and, not, or, type SearchExpression } from "../core/search/search-expression.ts";
import { foldPart, type SearchPart } from "../core/search/search-fields.ts";
import { decodeMessageId, encodeMessageId, type MessageId } from "../core/ids.ts";
import { type Marks, noMarks } from "../core/marks.ts";
import { identityCountMax, type IdentityPage } from "../store/mark-store.ts";
import type { SummaryPage } from "../store/store.ts";
import type { Summary } from "../core/message.ts";
import { listMessages } from "../operations/messages/list-messages.ts";
import { type MessageHead, readHeads } from "../operations/messages/read-conversation.ts";
import { streamChanges } from "../operations/messages/stream-changes.ts";
import type { CatcherCall, CatcherSubscriber } from "./catcher.ts";

/** Messages that one response lists at most. */
export const listedMessageCountMax = 1000;

/** Members of a call that reading the server needs. */
export type MailboxCall = Pick<CatcherCall, "context" | "server" | "principal" | "signal">;

/** Section of a list. */
export interface ListRange {
  /** Number of newer messages that are left out. */
  readonly start: number;
  /** At most {@link listedMessageCountMax}. */
  readonly limit: number;
  /** Only messages received before this instant, in milliseconds since the Unix epoch; null for no such bound, the default. */
  readonly receivedBefore?: number | null;
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

/** Section of a list in either order, and the number of its messages. */
interface OrderedSection {
  readonly total: number;
  readonly skip: number;
  readonly limit: number;
  readonly isAscending: boolean;
}

/** Returns the summaries of a section of a list that is newest first, or ascending: oldest first. */
export async function listOrdered(
  call: MailboxCall,
  { total, skip, limit, isAscending }: OrderedSection,
  expression: SearchExpression | null,
): Promise<readonly Summary[]> {
  if (!isAscending) return listRange(call, { start: skip, limit }, expression);
  const count = Math.min(limit, Math.max(0, total - skip));
  const start = Math.max(0, total - skip - limit);
  return (await listRange(call, { start, limit: count }, expression)).toReversed();
}

/** Returns the page with the bounds of a range. */
function pageOf(
  { server }: Pick<MailboxCall, "server">,
  { receivedBefore = null }: Pick<ListRange, "receivedBefore">,
): Page {
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
  return await context.store.searchMessages(server, expression, {
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
    const found: IdentityPage = await context.store.findMessages(server, expression, {
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

/** Returns an expression for messages whose subject, body or one of the parts contain a text. */
export function containing(text: string, parts: readonly (SearchPart | "any")[]): SearchExpression {
  return or(
    { kind: "text", field: "subject", term: foldText(text) },
    { kind: "text", field: "body", term: foldText(text) },
    ...parts.map((part) => ({ kind: "part", part, term: foldPart(text) }) as const),
  );
}

/** Returns a number of at most nine digits of a query; undefined for anything else. */
export function countOf(query: CatcherCall["query"], name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\+?\d{1,9}$/.test(text) ? Number(text) : undefined;
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
  return (await listRange(call, { start: 0, limit: 1 }, expression))[0]?.id;
}

/** Opens the changes of the server from now on; null from time to time, to keep connections open. */
export async function openChanges({
  context,
  principal,
  server,
  signal,
  isOpen,
}: CatcherSubscriber): Promise<AsyncGenerator<Change | null, void>> {
  const request = { server, afterSequence: null, gone: signal(), isOpen };
  return (await streamChanges(context, principal, request)).changes;
}

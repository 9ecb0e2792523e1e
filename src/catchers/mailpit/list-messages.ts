/** Lists and searches of messages, and their tags. */
import { readMailDate } from "../../core/mail-date.ts";
import { parseInstant } from "../../http/wire/date.ts";
import { deleteMessages } from "../change-mailbox.ts";
import {
  countFound,
  countMessages,
  listRange,
  listedMessageCountMax,
  readListed,
  type ListRange,
  type MailboxCounts,
} from "../mailbox.ts";
import { catcherRoutes, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { forAllFound, parseSearch, requireQuery } from "./search.ts";
import { json, ok, toMailpitSummary } from "./shapes.ts";

const usualLimit = 50;

/** Lists and searches, newest first, and the deletion of what a search finds. */
export const listRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", {
    "GET /api/v1/messages": async (call) => {
      const range = readRange(call);
      const messages = await readListed(call, await listRange(call, range), (listed) => toMailpitSummary(listed));
      return json(await toMailpitList(call, { start: range.start, messages }));
    },
    "GET /api/v1/search": async (call) => {
      const expression = parseSearch(call, requireQuery(call));
      const range = readRange(call);
      const found = await listRange(call, range, expression);
      const messages = await readListed(call, found, (listed) => toMailpitSummary(listed, [null, null]));
      const matching = await countFound(call, expression, range.receivedBefore);
      return json(await toMailpitList(call, { start: range.start, messages, matching }));
    },
  }),
  ...catcherRoutes("manage", {
    "DELETE /api/v1/search": async (call) => {
      await forAllFound(call, requireQuery(call), async (ids) => deleteMessages(call, ids));
      return ok;
    },
  }),
];

/** Section of a list, and the numbers of messages that meet its query; by default those of all messages. */
interface ListSection {
  readonly start: number;
  readonly messages: readonly unknown[];
  readonly matching?: MailboxCounts;
}

/** Returns a list with the numbers of messages and the tags of the server. */
async function toMailpitList(call: CatcherCall, { start, messages, matching }: ListSection): Promise<unknown> {
  const counts = await countMessages(call);
  const { total, unread } = matching ?? counts;
  return {
    total: counts.total,
    unread: counts.unread,
    count: messages.length,
    messages_count: total,
    messages_unread: unread,
    start,
    tags: await tagNames(call),
    messages,
  };
}

/**
 * Returns the section of a list that the query names; values that Mailpit does not understand are ignored. A limit of 0 means as many
 * as one response lists.
 */
function readRange({ query }: Pick<CatcherCall, "query">): ListRange {
  const limit = readCount(query.get("limit")) ?? usualLimit;
  const text = query.get("before") ?? "";
  const before = parseInstant(text) ?? readMailDate(text)?.instant ?? Number.NaN;
  return {
    start: readCount(query.get("start")) ?? 0,
    limit: limit === 0 ? listedMessageCountMax : Math.min(limit, listedMessageCountMax),
    receivedBefore: Number.isNaN(before) || before < 0 ? null : before,
  };
}

/** Returns the names of the tags of the server. */
export async function tagNames({ context, server }: CatcherCall): Promise<readonly string[]> {
  return (await context.store.marks.listTags(server)).map(({ tag }) => tag);
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\+?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

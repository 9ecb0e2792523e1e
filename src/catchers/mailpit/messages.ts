/** Lists and searches of messages, their tags, and changes of several. */
import { readMailDate } from "../../core/mail-date.ts";
import { parseInstant } from "../../http/wire/date.ts";
import { deleteMessages, changeMarks, readMarks, emptyMailbox, forAllMessages } from "../change-mailbox.ts";
import {
  countFound,
  countMessages,
  listRange,
  listedMessageCountMax,
  readListed,
  type ListRange,
  type MailboxCounts,
  countOf,
  findMessages,
} from "../mailbox.ts";
import { catcherRoutes, respondAfter, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { json, ok, toMailpitSummary } from "./shapes.ts";
import type { MessageId } from "../../core/ids.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import { isTimeZone } from "../../core/search/query-values.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import { build } from "../../core/schema.ts";
import { badRequest, decodeJson, readBody, text, texts } from "../read-json.ts";
import { tagIdentity } from "../../core/marks.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { readFormInTurns } from "../../core/read-form.ts";

const usualLimit = 50;

/** Routes that list and search messages, newest first, and that delete the results of a search. */
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
    "DELETE /api/v1/search": respondAfter(
      (call) => forAllFound(call, requireQuery(call), async (ids) => deleteMessages(call, ids)),
      ok,
    ),
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
  const limit = countOf(query, "limit") ?? usualLimit;
  const given = query.get("before") ?? "";
  const before = parseInstant(given) ?? readMailDate(given)?.instant ?? Number.NaN;
  return {
    start: countOf(query, "start") ?? 0,
    limit: limit === 0 ? listedMessageCountMax : Math.min(limit, listedMessageCountMax),
    receivedBefore: Number.isNaN(before) || before < 0 ? null : before,
  };
}

/** Returns the names of the tags of the server. */
async function tagNames({ context, server }: CatcherCall): Promise<readonly string[]> {
  return (await context.store.marks.listTags(server)).map(({ tag }) => tag);
}

/** Returns the expression of a query in the language of Mailpit. Throws a 400 for one that is too long. */
export function parseSearch({ context, query }: CatcherCall, wanted: string): SearchExpression {
  const lengthMax = context.limits.searchTextLengthMax;
  if (wanted.length > lengthMax) throw badRequest(`Error: the search query has more than ${lengthMax} characters`);
  const zone = query.get("tz") ?? "";
  const timeZone = zone !== "" && isTimeZone(zone) ? zone : undefined;
  const parsed = parseQuery(wanted, { dialect: "mailpit", now: context.clock.now(), timeZone });
  const [problem] = parsed.problems;
  if (problem !== undefined) throw badRequest(`Error: ${problem.description}`);
  return parsed.expression;
}

/** Calls `action` with the ids of all messages that a query finds, some at a time. */
async function forAllFound(
  call: CatcherCall,
  query: string,
  action: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  for await (const ids of findMessages(call, parseSearch(call, query))) await action(ids);
}

/** Returns the query of a search. Throws a 400 without one. */
function requireQuery({ query }: CatcherCall): string {
  const wanted = (query.get("query") ?? "").trim();
  if (wanted === "") throw badRequest("Error: no search query");
  return wanted;
}

const tagBody = build.object({ Name: text });
const tagsBody = build.object({ IDs: texts, Tags: texts });

/** Routes below `/api/v1/tags`. */
export const tagRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", { "GET /api/v1/tags": async (call) => json(await tagNames(call)) }),
  ...catcherRoutes("manage", {
    // Replaces the tags of messages.
    "PUT /api/v1/tags": async (call) => {
      const { IDs: ids = [], Tags: tags = [] } = await readBody(call, tagsBody);
      await changeMarks(call, ids, { removeTags: "all", addTags: cleanTags(tags) });
      return ok;
    },
    "PUT /api/v1/tags/:tag": async (call) => {
      const name = cleanTag((await readBody(call, tagBody)).Name ?? "");
      const { tag = "" } = call.params;
      if (name === "") throw badRequest("invalid tag name: ");
      if (tag === name) return ok;
      const present = await requireSpellings(call, tag);
      const isOther = tagIdentity(tag) !== tagIdentity(name);
      if (isOther && (await spellingsOf(call, name)).length > 0) throw badRequest(`tag already exists: ${name}`);
      await replaceTag(call, present, [name]);
      await call.record("tag.rename", { target: call.server });
      return ok;
    },
    "DELETE /api/v1/tags/:tag": async (call) => {
      await replaceTag(call, await requireSpellings(call, call.params["tag"] ?? ""), []);
      await call.record("tag.remove", { target: call.server });
      return ok;
    },
  }),
];

const tagLengthMax = 100;

/** Returns tags in the form that Mailpit stores, without empty ones. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  return tags.map(cleanTag).filter((tag) => tag !== "");
}

/** Returns a tag without the characters that Mailpit does not allow. */
function cleanTag(name: string): string {
  const tag = name.replaceAll(/[^a-zA-Z0-9\-_.@]+/g, " ").trim();
  return tag.slice(0, tagLengthMax);
}

/** Returns the spellings of a tag in the server; none when no message has it. */
async function spellingsOf(call: CatcherCall, name: string): Promise<readonly string[]> {
  const identity = tagIdentity(name);
  return (await tagNames(call)).filter((tag) => tagIdentity(tag) === identity);
}

/** Returns the spellings of a tag in the server. Throws a 400 when no message has it. */
async function requireSpellings(call: CatcherCall, name: string): Promise<readonly string[]> {
  const spellings = await spellingsOf(call, name);
  if (spellings.length === 0) throw badRequest(`tag not found: ${name}`);
  return spellings;
}

/** Replaces a tag of all messages by others. Tags that a provider gave stay. */
async function replaceTag(call: CatcherCall, tags: readonly string[], addTags: readonly string[]): Promise<void> {
  const identities = new Set(tags.map(tagIdentity));
  for (const tag of tags) {
    for await (const ids of findMessages(call, { kind: "tag", tag: foldPart(tag) })) {
      const marked = await readMarks(call, ids);
      const own = marked.filter(({ marks }) => marks.tags.some((one) => identities.has(tagIdentity(one))));
      await changeMarks(
        call,
        own.map(({ id }) => id),
        { removeTags: tags, addTags },
      );
    }
  }
}

const marksBody = build.object({ IDs: texts, Search: text, Read: build.optional(build.boolean()) });

/** Read marks and deletion of some or all messages. */
export const changeRoutes: readonly CatcherRoute[] = catcherRoutes("manage", {
  // Marks messages as read or unread: some, those of a search, or all.
  "PUT /api/v1/messages": async (call) => {
    const { IDs: ids = [], Search: search = "", Read: isRead = false } = await readBody(call, marksBody);
    const change = isRead ? { addFlags: ["seen"] as const } : { removeFlags: ["seen"] as const };
    const mark = async (marked: readonly string[]): Promise<void> => changeMarks(call, marked, change);
    if (ids.length > 0 && search !== "") {
      throw badRequest("You may specify either IDs or a search query, not both");
    }
    if (search !== "") await forAllFound(call, search, mark);
    else if (ids.length > 0) await mark(ids);
    else await forAllMessages(call, mark);
    return ok;
  },
  // Deletes some messages, or all when the body names none; as in Mailpit, also when it cannot be read.
  "DELETE /api/v1/messages": async (call) => {
    const bytes = await call.readBody(call.context.limits.jsonBodyBytesMax);
    const ids = await readIds(bytes, call.headers["content-type"] ?? "");
    if (ids.length > 0) await deleteMessages(call, ids);
    else await emptyMailbox(call);
    return ok;
  },
});

const idsBody = build.object({ IDs: texts });

/** Returns the ids of a body; of a form too, which the client `mailpit-api-client` sends, and of which Mailpit reads nothing. */
async function readIds(bytes: Uint8Array, contentType: string): Promise<readonly string[]> {
  if (bytes.byteLength === 0) return [];
  if (!contentType.startsWith("application/x-www-form-urlencoded")) return (await decodeJson(bytes, idsBody)).IDs ?? [];
  const fields = await readFormInTurns(bytes);
  return fields.flatMap(([name, value]) => (name === "ids" ? [value] : []));
}

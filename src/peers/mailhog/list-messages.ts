import type { SearchPart } from "../../core/search/search-fields.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { foldText } from "../../core/fold.ts";
import { or, type SearchExpression } from "../../core/search/search-expression.ts";
import type { MessageId } from "../../core/ids.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { streamJson, type JsonSegment } from "../json-stream.ts";
import { countFound, countMessages, listRange, listedMessageCountMax } from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest } from "../read-json.ts";
import { messageSegments } from "./message-segments.ts";
import { openHeads, readMails } from "./read-mails.ts";
import { streamed, textJson } from "./responses.ts";

const usualLimit = 50;
const limitMax = 250;

/** Kinds of searches. */
const kinds: Readonly<Record<string, (text: string) => SearchExpression>> = {
  from: (text) => part(["from"], text),
  to: (text) => part(["to", "cc", "bcc"], text),
  containing: (text) =>
    or(
      { kind: "text", field: "subject", term: foldText(text) },
      { kind: "text", field: "body", term: foldText(text) },
      { kind: "part", part: "any", term: foldPart(text) },
    ),
};

/** Lists and searches, newest first. */
export const listRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path: "/api/v1/messages",
    permission: "read",
    respond: async (call) => {
      const mails = mailsOf(call, await idsOf(call, { start: 0, limit: listedMessageCountMax }));
      return streamed(streamJson(listSegments(await mails, { before: "[", after: () => "]" })), textJson);
    },
  },
  {
    method: "GET",
    path: "/api/v2/messages",
    permission: "read",
    respond: async (call) => {
      const range = readRange(call);
      const { total } = await countMessages(call);
      return await respondPage(call, {
        ids: await idsOf(call, range),
        start: range.start,
        total,
        contentType: textJson,
      });
    },
  },
  {
    method: "GET",
    path: "/api/v2/search",
    permission: "read",
    respond: async (call) => {
      const { query } = call;
      const kind = query.get("kind") ?? "";
      const text = query.get("query") ?? "";
      const lengthMax = call.context.limits.searchTextLengthMax;
      const toExpression = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (toExpression === undefined) throw badRequest("kind must be from, to or containing");
      if (text === "" || text.length > lengthMax) throw badRequest(`query must have 1 to ${lengthMax} characters`);
      const range = readRange(call);
      const expression = toExpression(text);
      const { total } = await countFound(call, expression);
      const ids = await idsOf(call, range, expression);
      return await respondPage(call, { ids, start: range.start, total, contentType: "application/json" });
    },
  },
];

function part(parts: readonly SearchPart[], text: string): SearchExpression {
  return or(...parts.map((one): SearchExpression => ({ kind: "part", part: one, term: foldPart(text) })));
}

/** Section of a list. */
interface Range {
  readonly start: number;
  readonly limit: number;
}

async function idsOf(
  call: PeerCall,
  range: Range,
  expression: SearchExpression | null = null,
): Promise<readonly MessageId[]> {
  return (await listRange(call, { ...range, receivedBefore: null }, expression)).map(({ id }) => id);
}

/** Returns the section of a list that the query names; values that are no positive numbers are ignored. */
function readRange({ query }: Pick<PeerCall, "query">): Range {
  const count = (name: string): number => {
    const text = query.get(name) ?? "";
    return /^\+?\d{1,9}$/.test(text) ? Number(text) : 0;
  };
  return { start: count("start"), limit: Math.min(count("limit") || usualLimit, limitMax) };
}

/** Page of a list. */
interface HogPage {
  readonly ids: readonly MessageId[];
  readonly start: number;
  /** Number of all messages of the list. */
  readonly total: number;
  readonly contentType: string;
}

async function respondPage(call: PeerCall, { ids, start, total, contentType }: HogPage): Promise<HttpResponse> {
  const before = `{"total":${total},"start":${start},"items":[`;
  const mails = await mailsOf(call, ids);
  return streamed(streamJson(listSegments(mails, { before, after: (count) => `],"count":${count}}` })), contentType);
}

async function mailsOf(call: PeerCall, ids: readonly MessageId[]): Promise<ReturnType<typeof readMails>> {
  return readMails(call, await openHeads(call, ids));
}

/** Yields the JSON of mails with commas between them. */
async function* listSegments(
  mails: ReturnType<typeof readMails>,
  { before, after }: { readonly before: string; readonly after: (count: number) => string },
): AsyncGenerator<JsonSegment, void> {
  yield before;
  let count = 0;
  for await (const mail of mails) {
    if (count > 0) yield ",";
    yield* messageSegments(mail);
    count += 1;
  }
  yield after(count);
}

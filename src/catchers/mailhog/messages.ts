/** Messages: lists, searches, contents, deletion and releases. */
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { foldPart, type SearchPart } from "../../core/search/search-fields.ts";
import { or, type SearchExpression } from "../../core/search/search-expression.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { callerOf } from "../../operations/services/security/access.ts";
import { awaitDelivery, deleteMessages, emptyMailbox, relayMail } from "../change-mailbox.ts";
import { type JsonSegment, emptyResponse, fileResponse } from "../responses.ts";
import {
  containing,
  countFound,
  countMessages,
  countOf,
  listedMessageCountMax,
  listRange,
  type ListRange,
} from "../mailbox.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes, respondAfter } from "../catcher.ts";
import { build } from "../../core/schema.ts";
import { badRequest, readBody, text } from "../read-json.ts";
import { downloadMail, orNull, parseReceivedId, requireId } from "../received-message.ts";
import {
  type Content,
  readHeaders,
  type HogMail,
  json,
  messageSegments,
  openHeads,
  readMails,
  streamed,
  textJson,
} from "./mail.ts";

const path = "/api/v1/messages";
/** Copies of a part in memory while it is decoded: in the mail, on the thread, and decoded. */
const decodedCopies = 3;
const usualLimit = 50;
const limitMax = 250;

/** Kinds of searches. */
const kinds: Readonly<Record<string, (text: string) => SearchExpression>> = {
  from: (wanted) => partsContain(["from"], wanted),
  to: (wanted) => partsContain(["to", "cc", "bcc"], wanted),
  containing: (wanted) => containing(wanted, ["any"]),
};

const releaseBody = build.object({ Email: text });

/** Routes of messages; lists are newest first. */
export const messageRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", {
    [`GET ${path}`]: async (call) => {
      const mails = await mailsOf(call, { start: 0, limit: listedMessageCountMax });
      return streamed(listSegments(mails, { before: "[", after: () => "]" }), textJson);
    },
    "GET /api/v2/messages": async (call) => {
      const { total } = await countMessages(call);
      return respondPage(call, null, { total, contentType: textJson });
    },
    "GET /api/v2/search": async (call) => {
      const expression = readSearch(call);
      const { total } = await countFound(call, expression);
      return respondPage(call, expression, { total, contentType: "application/json" });
    },
    [`GET ${path}/:id`]: async (call) => {
      const id = parseReceivedId(call, call.params["id"] ?? "");
      const mail = id === undefined ? undefined : await readMail(call, id);
      // MailHog answers null for messages that it does not have.
      return mail === undefined ? json(null, textJson) : streamed(messageSegments(mail), textJson);
    },
    [`GET ${path}/:id/download`]: downloadMail,
    [`GET ${path}/:id/mime/part/:part/download`]: async (call) => {
      const id = requireId(call);
      const number = call.params["part"] ?? "";
      const mail = await readMail(call, id);
      const part = /^\d{1,6}$/.test(number) ? mail?.content.parts?.[Number(number)] : undefined;
      if (part === undefined) throw new Problem("not_found");
      return fileOf(call, part, `${id}-part-${number}`);
    },
  }),
  ...catcherRoutes("manage", {
    [`DELETE ${path}`]: respondAfter(emptyMailbox, emptyResponse(200)),
    [`DELETE ${path}/:id`]: respondAfter((call) => deleteMessages(call, [requireId(call)]), emptyResponse(200)),
  }),
  ...catcherRoutes("send", {
    [`POST ${path}/:id/release`]: async (call) => {
      const id = requireId(call);
      const { Email: to = "" } = await readBody(call, releaseBody);
      // MailHog responds when the server has taken the mail, and with 500 when it has not.
      const delivery = await awaitDelivery(call, await relayMail(call, id, [to]));
      return emptyResponse(delivery?.status === "Failed" ? 500 : 200);
    },
  }),
];

function readSearch({ query, context }: CatcherCall): SearchExpression {
  const kind = query.get("kind") ?? "";
  const wanted = query.get("query") ?? "";
  const lengthMax = context.limits.searchTextLengthMax;
  const toExpression = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (toExpression === undefined) throw badRequest("kind must be from, to or containing");
  if (wanted === "" || wanted.length > lengthMax) throw badRequest(`query must have 1 to ${lengthMax} characters`);
  return toExpression(wanted);
}

function partsContain(parts: readonly SearchPart[], wanted: string): SearchExpression {
  return or(...parts.map((part) => ({ kind: "part", part, term: foldPart(wanted) }) as const));
}

/** Responds with the section that the query names; values that are no positive numbers are ignored. */
async function respondPage(
  call: CatcherCall,
  expression: SearchExpression | null,
  { total, contentType }: { readonly total: number; readonly contentType: string },
): Promise<HttpResponse> {
  const start = countOf(call.query, "start") ?? 0;
  const limit = Math.min(countOf(call.query, "limit") || usualLimit, limitMax);
  const mails = await mailsOf(call, { start, limit }, expression);
  const before = `{"total":${total},"start":${start},"items":[`;
  return streamed(listSegments(mails, { before, after: (count) => `],"count":${count}}` }), contentType);
}

async function mailsOf(
  call: CatcherCall,
  range: ListRange,
  expression: SearchExpression | null = null,
): Promise<ReturnType<typeof readMails>> {
  const ids = (await listRange(call, range, expression)).map(({ id }) => id);
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

async function readMail(call: CatcherCall, id: MessageId): Promise<HogMail | undefined> {
  const heads = await orNull(openHeads(call, [id]));
  const { value } = await readMails(call, heads ?? []).next();
  return value ?? undefined;
}

/** Returns a part as a file that no browser renders as a page; a large one is decoded in a worker process. */
async function fileOf(call: CatcherCall, content: Content, name: string): Promise<HttpResponse> {
  const { context, principal, room, signal } = call;
  const { body } = content;
  const headers = readHeaders(content);
  const field = (wanted: string): string =>
    Object.entries(headers).find(([one]) => one.toLowerCase() === wanted)?.[1][0] ?? "";
  const isBase64 = field("content-transfer-encoding").trim().toLowerCase() === "base64";
  const fileName = /filename="?([^";]+)/i.exec(field("content-disposition"))?.[1] ?? name;
  const part = { bodyStart: 0, bodyEnd: body.byteLength, transferEncoding: isBase64 ? "base64" : "identity" } as const;
  if (isBase64) await room.reserve(decodedCopies * body.byteLength);
  const request = { raw: isBase64 ? new Uint8Array(body) : body, part };
  const bytes = await context.bodies.decode(request, callerOf(principal, { gone: signal() }));
  return fileResponse(fileName, field("content-type"), bytes);
}

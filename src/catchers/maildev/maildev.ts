/** API of MailDev (https://github.com/maildev/maildev): versions 1 and 2 without a prefix, version 3 below `/api`. */
import type { MessageId } from "../../core/ids.ts";
import { notFound } from "../../core/errors.ts";
import { type HttpResponse, jsonResponse } from "../../http/http-response.ts";
import { mailPageHeaders } from "../../http/web/routes/mail.ts";
import { getAttachment, openMessage } from "../../operations/services/reading/get-message.ts";
import { bodyOf, contentOfStream, fileResponse, type JsonSegment, plainResponse, streamedJson } from "../responses.ts";
import { linkImages, rewriteText, slicesOf } from "../rewrite-text.ts";
import { deleteMessages, markRead, emptyMailbox, markAllRead, relayMail } from "../change-mailbox.ts";
import {
  type Catcher,
  type CatcherCall,
  type CatcherRoute,
  catcherRoutes,
  type OpenCatcherRoute,
  respondAfter,
} from "../catcher.ts";
import {
  downloadMail,
  readingContext,
  requireHead,
  requireId,
  parseReceivedId,
  showMail,
} from "../received-message.ts";
import {
  generatedFileName,
  type Version,
  emailSegments,
  readEmails,
  type Email,
  toEmail,
  meetsFilter,
} from "./email.ts";
import { and, not, type SearchExpression } from "../../core/search/search-expression.ts";
import { listMailbox } from "../../operations/mailboxes/open-mail.ts";
import {
  containing,
  countOf,
  countFound,
  countMessages,
  type ListedMessage,
  listOrdered,
  readListed,
} from "../mailbox.ts";
import { build } from "../../core/schema.ts";
import { badRequest, readBody, texts } from "../read-json.ts";

/** Response to a change. */
const done: HttpResponse = jsonResponse(true);

function failure(status: number, error: string): HttpResponse {
  return { ...jsonResponse({ error }), status };
}

/** Returns the routes that all versions have. */
function routesOf(prefix: string, version: Version): readonly (CatcherRoute | OpenCatcherRoute)[] {
  const path = `${prefix}/email/:id`;
  return [
    ...catcherRoutes("read", {
      [`GET ${prefix}/email`]: (call) => listEmails(call, version),
      [`GET ${path}`]: async (call) => showEmail(call, version),
      [`GET ${path}/html`]: async (call) => showHtml(call, `//${call.headers.host ?? ""}${prefix}/email`, version),
      [`GET ${path}/attachment/:name`]: sendAttachment,
      [`GET ${path}/source`]: showMail,
      [`GET ${path}/download`]: downloadMail,
      [`GET ${prefix}/config`]: ({ context, version: own }) =>
        jsonResponse({
          version: `restante ${own}`,
          smtpPort: null,
          isOutgoingEnabled: context.settings.hasRelay,
          outgoingHost: null,
        }),
      // All mail is in the store, so that there is no directory to read.
      [`GET ${prefix}/reloadMailsFromDirectory`]: () => done,
    }),
    ...catcherRoutes("manage", {
      [`DELETE ${path}`]: respondAfter(async (call) => deleteMessages(call, [await requireExisting(call)]), done),
      [`DELETE ${prefix}/email/all`]: respondAfter(emptyMailbox, done),
      [`PATCH ${prefix}/email/read-all`]: async (call) => {
        const { unread } = await countMessages(call);
        await markAllRead(call);
        return jsonResponse(unread);
      },
    }),
    ...catcherRoutes("send", { [`POST ${path}/relay`]: relay, [`POST ${path}/relay/:recipient`]: relay }),
    { method: "GET", path: `${prefix}/healthz`, permission: "none", respond: () => done },
  ];
}

/** Shows an e-mail with its bodies, and marks it as read. */
async function showEmail(call: CatcherCall, version: Version): Promise<HttpResponse> {
  const id = await requireExisting(call);
  const { value } = await readEmails(call, [id], version).next();
  if (value === undefined) throw notFound("Message");
  if (value.email["read"] !== true) await markRead(call, id);
  return streamedJson(emailSegments({ ...value, email: { ...value.email, read: true } }));
}

/** Returns the id of the path. Rejects with `not_found` when the server has no such message. */
async function requireExisting(call: CatcherCall): Promise<MessageId> {
  const id = requireId(call);
  if ((await call.context.store.getDetail(id)) === undefined) throw notFound("Message");
  return id;
}

/** Relays an e-mail as it was received, to verified recipients. */
async function relay(call: CatcherCall): Promise<HttpResponse> {
  const id = await requireExisting(call);
  const { recipient } = call.params;
  const own = recipient === undefined ? (await requireHead(call, id)).detail.message.metadata.rcptTo : [];
  const to = recipient === undefined ? own.flatMap(({ email }) => email ?? []) : [recipient];
  await relayMail(call, id, to);
  return done;
}

/** Shows the HTML with the addresses of its inline images; scripts, forms and connections are switched off. */
async function showHtml(call: CatcherCall, base: string, version: Version): Promise<HttpResponse> {
  const opened = await openMessage(readingContext(call), call.principal, requireId(call));
  const { message } = opened;
  const html = bodyOf(opened, "html");
  if (html === null && version === 3) return failure(404, "Email has no HTML content");
  const addresses = new Map<string, string>();
  for (const attachment of message.attachments) {
    const address = `${base}/${message.id}/attachment/${generatedFileName(attachment)}`;
    if (attachment.contentId !== null) addresses.set(attachment.contentId.toLowerCase(), address);
  }
  const headers = mailPageHeaders({ isRemoteAllowed: false, isDark: false });
  const shown = rewriteText(slicesOf(html ?? new Uint8Array()), linkImages(addresses));
  return { status: 200, headers, ...(await contentOfStream(shown, html?.byteLength ?? 0)) };
}

async function sendAttachment(call: CatcherCall): Promise<HttpResponse> {
  const { name = "" } = call.params;
  const { attachments } = (await requireHead(call, requireId(call))).detail.message;
  const found =
    attachments.find((attachment) => generatedFileName(attachment) === name) ??
    attachments.find(({ fileName }) => fileName === name);
  if (found === undefined) return failure(404, "File not found");
  const { bytes } = await getAttachment(readingContext(call), call.principal, found.id);
  return fileResponse(found.fileName, found.contentType, bytes);
}

const reserved = new Set(["skip", "limit", "sort"]);

/** Lists e-mails with their bodies, oldest first, that meet the filter of the query. */
async function listEmails(call: CatcherCall, version: Version): Promise<HttpResponse> {
  const { query, context, server } = call;
  const { mails } = await listMailbox(context, { server, direction: "Received" });
  const ids = mails.map(({ id }) => id);
  const isDescending = version === 3 && query.get("sort") === "desc";
  const section: Section = {
    filter: new Map([...query].filter(([name]) => !reserved.has(name) || (version === 2 && name !== "skip"))),
    skip: countOf(query, "skip") ?? 0,
    limit: version === 3 ? (countOf(query, "limit") ?? Infinity) : Infinity,
  };
  return streamedJson(listSegments(call, { ids: isDescending ? ids.toReversed() : ids, section, version }));
}

/** Section of a list. */
interface Section {
  /** Texts by dotted paths. */
  readonly filter: ReadonlyMap<string, string>;
  readonly skip: number;
  readonly limit: number;
}

/** List of e-mails. */
interface EmailList {
  readonly ids: readonly MessageId[];
  readonly section: Section;
  readonly version: Version;
}

async function* listSegments(
  call: CatcherCall,
  { ids, section, version }: EmailList,
): AsyncGenerator<JsonSegment, void> {
  const { filter, skip, limit } = section;
  const end = skip + limit;
  const candidates = filter.size === 0 ? ids.slice(skip, end) : ids;
  let at = filter.size === 0 ? skip : 0;
  yield "[";
  let isFirst = true;
  for await (const opened of readEmails(call, candidates, version)) {
    if (at >= end) break;
    if (!meetsFilter(opened.email, filter)) continue;
    at += 1;
    if (at <= skip) continue;
    if (!isFirst) yield ",";
    isFirst = false;
    yield* emailSegments(opened);
  }
  yield "]";
}

/** Items of a page of summaries. */
const usualLimit = 50;
const limitMax = 200;
const previewLengthMax = 140;

/** `GET /email/summary` of version 3: a page of e-mails without their bodies. */
const summaryRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/email/summary": async (call) => {
    const { query } = call;
    const skip = countOf(query, "skip") ?? 0;
    const limit = Math.min(countOf(query, "limit") || usualLimit, limitMax);
    const expression = readExpression(call);
    const { total: storeTotal, unread } = await countMessages(call);
    const total = expression === null ? storeTotal : (await countFound(call, expression)).total;
    const isAscending = query.get("sort") === "asc";
    const summaries = await listOrdered(call, { total, skip, limit, isAscending }, expression);
    const items = await readListed(call, summaries, toSummary);
    return jsonResponse({ items, total, storeTotal, unread, skip, limit });
  },
});

/** Returns the expression of the parameters `search` and `unread`; null for all messages. */
function readExpression({ query, context }: CatcherCall): SearchExpression | null {
  const text = (query.get("search") ?? "").trim();
  const lengthMax = context.limits.searchTextLengthMax;
  if (text.length > lengthMax) throw badRequest(`search must have at most ${lengthMax} characters`);
  const wanted = [
    ...(text === "" ? [] : [containing(text, ["from", "to", "cc"])]),
    ...(query.get("unread") === "true" ? [not({ kind: "flag", flag: "seen" })] : []),
  ];
  return wanted.length === 0 ? null : and(...wanted);
}

/** Members of an email that a list of summaries shows. */
const summaryNames = ["id", "time", "read", "subject", "size", "sizeHuman", "from", "to", "cc"];

function toSummary({ detail, sizeBytes, marks, summary }: ListedMessage): Email {
  // Heads have no bodies, which are not members of an e-mail either.
  const { subject, from, to, cc } = summary;
  const message = { ...detail.message, subject, from, to, cc, html: noHtml, text: noText, attachments: [] };
  const email = toEmail(message, { sizeBytes, isRead: marks.flags.includes("seen") }, 3);
  return {
    ...Object.fromEntries(summaryNames.map((name) => [name, email[name]])),
    attachmentCount: summary.attachments,
    preview: summary.summary.slice(0, previewLengthMax),
  };
}

const noText = { links: [], codes: [], body: null };
const noHtml = { ...noText, images: [] };

/** Ids of one deletion. */
const deletedCountMax = 1000;

const deletionBody = build.object({ ids: texts });

/** `POST /email/delete` of version 3: deletes some e-mails. */
const deletionRoutes: readonly CatcherRoute[] = catcherRoutes("manage", {
  "POST /api/email/delete": async (call) => {
    const ids = [...new Set((await readBody(call, deletionBody)).ids)];
    if (ids.length === 0 || ids.some((id) => id.trim() === "")) {
      throw badRequest("Request body must include an ids array of email IDs");
    }
    if (ids.length > deletedCountMax) throw badRequest(`ids must have at most ${deletedCountMax} elements`);
    const deleted: string[] = [];
    for (const text of ids) {
      const id = parseReceivedId(call, text);
      if (id !== undefined && (await call.context.store.getDetail(id)) !== undefined) deleted.push(id);
    }
    await deleteMessages(call, deleted);
    return jsonResponse({ deleted, notFound: ids.filter((id) => !deleted.includes(id)) });
  },
});

/** MailDev. */
export const maildev: Catcher = {
  name: "maildev",
  routes: [...routesOf("", 2), ...routesOf("/api", 3), ...summaryRoutes, ...deletionRoutes],
  respondUnmatched: ({ method, path }) => plainResponse(404, `Cannot ${method} ${path.slice(0, 200)}\n`),
  toErrorBody: ({ code, message, row }, detail) => {
    const isMessage = code === "not_found" && message !== "Server not found";
    return failure(row.status, isMessage ? "Email was not found" : detail);
  },
};

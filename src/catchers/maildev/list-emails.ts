/** Lists of e-mails: with their bodies, which a filter of the query selects, and summaries of version 3. */
import type { MessageId } from "../../core/ids.ts";
import { and, not, type SearchExpression } from "../../core/search/search-expression.ts";
import { jsonResponse } from "../../http/http-response.ts";
import { listMailbox } from "../../operations/mailboxes/open-mail.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { deleteMessages, emptyMailbox, markAllRead } from "../change-mailbox.ts";
import { type JsonSegment, streamedJson } from "../json-stream.ts";
import { containing, countFound, countMessages, type ListedMessage, listOrdered, readListed } from "../mailbox.ts";
import { badRequest, readObject } from "../read-json.ts";
import { parseReceivedId } from "../received-message.ts";
import { type Email, toEmail, type Version } from "./email.ts";
import { meetsFilter } from "./filter.ts";
import { done } from "./one-email.ts";
import { emailSegments, readEmails } from "./read-emails.ts";

/** Items of a page of summaries. */
const usualLimit = 50;
const limitMax = 200;
const previewLengthMax = 140;
const reserved = new Set(["skip", "limit", "sort"]);

/** `GET /email`: e-mails with their bodies, oldest first, that meet the filter of the query. */
export function listRoutes(prefix: string, version: Version): readonly CatcherRoute[] {
  return catcherRoutes("read", {
    [`GET ${prefix}/email`]: async (call) => {
      const { query, context, server } = call;
      const { mails } = await listMailbox(context, { server, direction: "Received" });
      const ids = mails.map(({ id }) => id);
      const isDescending = version === 3 && query.get("sort") === "desc";
      const section: Section = {
        filter: new Map([...query].filter(([name]) => !reserved.has(name) || (version === 2 && name !== "skip"))),
        skip: readCount(query.get("skip")) ?? 0,
        limit: version === 3 ? (readCount(query.get("limit")) ?? Infinity) : Infinity,
      };
      return streamedJson(listSegments(call, { ids: isDescending ? ids.toReversed() : ids, section, version }));
    },
  });
}

/** `GET /email/summary` of version 3: a page of e-mails without their bodies. */
export const summaryRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/email/summary": async (call) => {
    const { query } = call;
    const skip = readCount(query.get("skip")) ?? 0;
    const limit = Math.min(readCount(query.get("limit")) || usualLimit, limitMax);
    const expression = readExpression(call);
    const { total: storeTotal, unread } = await countMessages(call);
    const total = expression === null ? storeTotal : (await countFound(call, expression)).total;
    const isAscending = query.get("sort") === "asc";
    const summaries = await listOrdered(call, { total, skip, limit, isAscending }, expression);
    const items = await readListed(call, summaries, toSummary);
    return jsonResponse({ items, total, storeTotal, unread, skip, limit });
  },
});

/** Returns what the parameters `search` and `unread` ask for; null for all messages. */
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

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Ids of one deletion. */
const deletedCountMax = 1000;

/** Deletion and the read marks of all e-mails. */
export function changeRoutes(prefix: string): readonly CatcherRoute[] {
  return catcherRoutes("manage", {
    [`DELETE ${prefix}/email/all`]: async (call) => {
      await emptyMailbox(call);
      return done;
    },
    [`PATCH ${prefix}/email/read-all`]: async (call) => {
      const { unread } = await countMessages(call);
      await markAllRead(call);
      return jsonResponse(unread);
    },
  });
}

/** `POST /email/delete` of version 3: deletes some e-mails. */
export const deletionRoutes: readonly CatcherRoute[] = catcherRoutes("manage", {
  "POST /api/email/delete": async (call) => {
    const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
    const ids = [...new Set(body.texts("ids"))];
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

import type { SearchExpression } from "../../core/search/search-expression.ts";
import { jsonResponse } from "../../http/http-response.ts";
import {
  containing,
  countFound,
  countMessages,
  listOrdered,
  listRange,
  listedMessageCountMax,
  readListed,
  type ListedMessage,
} from "../mailbox.ts";
import { catcherRoutes, respondAfter, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { build } from "../../core/schema.ts";
import { badRequest, decodeJson, texts } from "../read-json.ts";
import { recipientsOf, senderOf, readingContext, requireHead, requireId } from "../received-message.ts";
import { placeMail } from "../../operations/sending/send-mail.ts";
import { awaitDelivery, changeMarks, deleteMessages, emptyMailbox, markAllRead, relayMail } from "../change-mailbox.ts";
import { emptyResponse, plainResponse } from "../responses.ts";

/** Name of the only mailbox: the server of the listener. */
export const mailboxName = "Default";
/** Id of the only mailbox. */
const mailboxId = "00000000-0000-8000-8000-000000000001";
const usualPageSize = 5;
const usualNewCount = 50;

/** Item of a list. */
type MessageSummary = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Members of an item by which lists may be sorted, beside the instant of receipt. */
const sortable = ["id", "from", "to", "deliveredTo", "subject", "attachmentCount", "isUnread", "isRelayed"];

/** Order and section of a list. */
interface Section {
  /** Name of a member of an item, in lower case. */
  readonly column: string;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}

/** Lists of messages, and the only mailbox with its only folder. */
export const listRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/messages": async (call) => {
    const { query } = call;
    const page = readCount(call, "page", 1);
    const limit = Math.min(readCount(call, "pagesize", usualPageSize), listedMessageCountMax);
    const column = (query.get("sortcolumn") || "receivedDate").toLowerCase();
    const isDescending = query.get("sortisdescending")?.toLowerCase() !== "false";
    const section = { column, isDescending, skip: (page - 1) * limit, limit };
    const { total, results } = isShownFolder(call) ? await listSection(call, section) : { total: 0, results: [] };
    return jsonResponse({
      currentPage: page,
      pageCount: Math.ceil(total / limit),
      pageSize: limit,
      rowCount: total,
      firstRowOnPage: section.skip + 1,
      lastRowOnPage: Math.min(page * limit, total),
      results,
    });
  },
  "GET /api/messages/new": async (call) => {
    const limit = Math.min(readCount(call, "pagesize", usualNewCount), listedMessageCountMax);
    if (!isShownMailbox(call)) return jsonResponse([]);
    const newest = await listRange(call, { start: 0, limit });
    const known = newest.findIndex(({ id }) => id === call.query.get("lastseenmessageid")?.toLowerCase());
    return jsonResponse(await readListed(call, known === -1 ? newest : newest.slice(0, known), toSummary));
  },
  "GET /api/mailboxes": () => jsonResponse([{ id: mailboxId, name: mailboxName, mailboxFolders: [] }]),
  "GET /api/messages/folders": (call) => jsonResponse(isShownMailbox(call) ? ["INBOX"] : []),
});

async function listSection(
  call: CatcherCall,
  { column, isDescending, skip, limit }: Section,
): Promise<{ readonly total: number; readonly results: readonly MessageSummary[] }> {
  const expression = readExpression(call);
  const { total } = await (expression === null ? countMessages(call) : countFound(call, expression));
  if (column === "receiveddate") {
    const summaries = await listOrdered(call, { total, skip, limit, isAscending: !isDescending }, expression);
    return { total, results: await readListed(call, summaries, toSummary) };
  }
  if (total > listedMessageCountMax) {
    throw badRequest(`More than ${listedMessageCountMax} messages can only be sorted by receivedDate`);
  }
  const all = await listRange(call, { start: 0, limit: listedMessageCountMax }, expression);
  const sorted = (await readListed(call, all, toSummary)).toSorted(comparison(column));
  return { total, results: (isDescending ? sorted.toReversed() : sorted).slice(skip, skip + limit) };
}

/** Returns the order of a column, ascending. Throws a 400 when no item has it. */
function comparison(column: string): (a: MessageSummary, b: MessageSummary) => number {
  const name = sortable.find((one) => one.toLowerCase() === column);
  if (name === undefined) throw badRequest("sortColumn must be a member of a message");
  const valueOf = (item: MessageSummary): string | number => {
    const value = item[name] ?? "";
    if (typeof value === "object") return value.join(", ");
    return typeof value === "boolean" ? Number(value) : value;
  };
  return (a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    return first < second ? -1 : Number(first > second);
  };
}

/** Returns what `searchTerms` asks for; null for all messages. */
function readExpression({ query, context }: CatcherCall): SearchExpression | null {
  const text = query.get("searchterms") ?? "";
  const lengthMax = context.limits.searchTextLengthMax;
  if (text.length > lengthMax) throw badRequest(`searchTerms must have at most ${lengthMax} characters`);
  return text.trim() === "" ? null : containing(text, ["from", "to", "cc", "bcc", "attachment"]);
}

function toSummary({ detail, marks, summary }: ListedMessage): MessageSummary {
  const { metadata, defects } = detail.message;
  const recipients = recipientsOf(detail.message);
  return {
    isRelayed: false,
    deliveredTo: recipients.join(", "),
    id: summary.id,
    from: senderOf({ from: summary.from, metadata }),
    to: recipients,
    receivedDate: summary.received,
    subject: summary.subject,
    attachmentCount: summary.attachments,
    isUnread: !marks.flags.includes("seen"),
    hasWarnings: defects.length > 0,
  };
}

/** Returns a positive number of the query. Throws a 400 for anything else. */
function readCount({ query }: CatcherCall, name: string, usual: number): number {
  const text = query.get(name) ?? "";
  if (text === "") return usual;
  if (!/^\d{1,10}$/.test(text) || Number(text) === 0) throw badRequest(`${name} must be a positive number`);
  return Number(text);
}

function isShownFolder(call: CatcherCall): boolean {
  return isShownMailbox(call) && (call.query.get("foldername") || "INBOX").toUpperCase() === "INBOX";
}

/** Returns whether a request concerns the mailbox; others are empty, as unknown ones of smtp4dev are. */
function isShownMailbox({ query }: Pick<CatcherCall, "query">): boolean {
  return (query.get("mailboxname") || mailboxName) === mailboxName;
}

const path = "/api/messages";
const done = emptyResponse(200);

const relayBody = build.object({ overrideRecipientAddresses: texts });

/** Import of a mail, read marks, deletion, and relaying of a mail as it was received, to verified recipients. */
export const changeRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("manage", {
    [`POST ${path}/markallread`]: respondAfter((call) => isShownMailbox(call) && markAllRead(call), done),
    [`POST ${path}/:id/markread`]: respondAfter(
      (call) => changeMarks(call, [requireId(call)], { addFlags: ["seen"] }),
      done,
    ),
    // The id `*` stands for all messages.
    [`DELETE ${path}/:id`]: async (call) => {
      if (call.params["id"] !== "*") await deleteMessages(call, [requireId(call)]);
      else if (isShownMailbox(call)) await emptyMailbox(call);
      return done;
    },
  }),
  ...catcherRoutes("send", {
    [`PUT ${path}`]: async (call) => {
      if (!isShownMailbox(call)) throw badRequest(`mailboxName must be ${mailboxName}`);
      const raw = await call.readBody(call.context.limits.messageBytesMax);
      if (raw.byteLength === 0) throw badRequest("EML content is empty");
      return jsonResponse(await placeMail(readingContext(call), { server: call.server, raw, ticket: null }));
    },
    [`POST ${path}/:id/relay`]: async (call) => {
      const id = requireId(call);
      const body = await call.readBody(call.context.limits.jsonBodyBytesMax);
      const { overrideRecipientAddresses: given = [] } = body.byteLength === 0 ? {} : await decodeJson(body, relayBody);
      const to = given.length > 0 ? given : recipientsOf((await requireHead(call, id)).detail.message);
      const delivery = await awaitDelivery(call, await relayMail(call, id, to));
      return delivery?.status === "Failed" ? plainResponse(500, "Failed to relay to recipients") : done;
    },
  }),
];

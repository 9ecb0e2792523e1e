import { foldText } from "../../core/fold.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Contact } from "../../core/message.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { or, type SearchExpression } from "../../core/search/search-expression.ts";
import { jsonResponse } from "../../http/http-response.ts";
import {
  countFound,
  countMessages,
  listRange,
  listedMessageCountMax,
  readListed,
  type ListedMessage,
} from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest } from "../read-json.ts";
import { isShownMailbox } from "./mailboxes.ts";

const permission = "read";
const usualPageSize = 5;
const usualNewCount = 50;

/** Item of a list. */
interface MessageSummary {
  readonly isRelayed: boolean;
  readonly deliveredTo: string;
  readonly id: MessageId;
  readonly from: string;
  readonly to: readonly string[];
  readonly receivedDate: string;
  readonly subject: string;
  readonly attachmentCount: number;
  readonly isUnread: boolean;
  readonly hasWarnings: boolean;
}

/** Order and section of a list. */
interface Section {
  /** Name of a member of {@link MessageSummary}, in lower case. */
  readonly column: string;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}

/** Lists of messages. */
export const listRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path: "/api/messages",
    permission,
    respond: async (call) => {
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
  },
  {
    method: "GET",
    path: "/api/messages/new",
    permission,
    respond: async (call) => {
      const limit = Math.min(readCount(call, "pagesize", usualNewCount), listedMessageCountMax);
      if (!isShownMailbox(call)) return jsonResponse([]);
      const newest = await listRange(call, {
        start: 0,
        limit,
        receivedBefore: null,
      });
      const known = newest.findIndex(({ id }) => id === call.query.get("lastseenmessageid")?.toLowerCase());
      return jsonResponse(await readListed(call, known === -1 ? newest : newest.slice(0, known), toSummary));
    },
  },
];

async function listSection(
  call: PeerCall,
  { column, isDescending, skip, limit }: Section,
): Promise<{
  readonly total: number;
  readonly results: readonly MessageSummary[];
}> {
  const expression = readExpression(call);
  const { total } = await (expression === null ? countMessages(call) : countFound(call, expression));
  const read = async (start: number, count: number): Promise<readonly MessageSummary[]> =>
    readListed(call, await listRange(call, { start, limit: count, receivedBefore: null }, expression), toSummary);
  if (column !== "receiveddate") {
    if (total > listedMessageCountMax) {
      throw badRequest(`More than ${listedMessageCountMax} messages can only be sorted by receivedDate`);
    }
    const sorted = (await read(0, listedMessageCountMax)).toSorted(comparison(column));
    return {
      total,
      results: (isDescending ? sorted.toReversed() : sorted).slice(skip, skip + limit),
    };
  }
  if (isDescending) return { total, results: await read(skip, limit) };
  const oldest = await read(Math.max(0, total - skip - limit), Math.min(limit, Math.max(0, total - skip)));
  return { total, results: oldest.toReversed() };
}

/** Returns the order of a column, ascending. Throws a 400 when no item has it. */
function comparison(column: string): (a: MessageSummary, b: MessageSummary) => number {
  const columns: Readonly<Record<string, (item: MessageSummary) => string | number>> = {
    id: ({ id }) => id,
    from: ({ from }) => from,
    to: ({ to }) => to.join(", "),
    deliveredto: ({ deliveredTo }) => deliveredTo,
    subject: ({ subject }) => subject,
    attachmentcount: ({ attachmentCount }) => attachmentCount,
    isunread: ({ isUnread }) => Number(isUnread),
    isrelayed: ({ isRelayed }) => Number(isRelayed),
  };
  const valueOf = Object.hasOwn(columns, column) ? columns[column] : undefined;
  if (valueOf === undefined) throw badRequest("sortColumn must be a member of a message");
  return (a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    return first < second ? -1 : Number(first > second);
  };
}

/** Returns what `searchTerms` asks for; null for all messages. */
function readExpression({ query, context }: PeerCall): SearchExpression | null {
  const text = query.get("searchterms") ?? "";
  const lengthMax = context.limits.searchTextLengthMax;
  if (text.length > lengthMax) throw badRequest(`searchTerms must have at most ${lengthMax} characters`);
  if (text.trim() === "") return null;
  return or(
    { kind: "text", field: "subject", term: foldText(text) },
    { kind: "text", field: "body", term: foldText(text) },
    ...(["from", "to", "cc", "bcc", "attachment"] as const).map(
      (part) => ({ kind: "part", part, term: foldPart(text) }) as const,
    ),
  );
}

function toSummary({ detail, marks, summary }: ListedMessage): MessageSummary {
  const { metadata, defects } = detail.message;
  const recipients = recipientsOf(detail.message);
  return {
    isRelayed: false,
    deliveredTo: recipients.join(", "),
    id: summary.id,
    from: metadata.mailFrom ?? addressOf(summary.from[0]),
    to: recipients,
    receivedDate: summary.received,
    subject: summary.subject,
    attachmentCount: summary.attachments,
    isUnread: !marks.flags.includes("seen"),
    hasWarnings: defects.length > 0,
  };
}

/** Returns the recipients of the envelope; of messages without one, those of the header. */
export function recipientsOf({ to, cc, bcc, metadata }: ListedMessage["detail"]["message"]): readonly string[] {
  return (metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc]).map(addressOf);
}

function addressOf(contact: Contact | undefined): string {
  return contact?.email ?? contact?.phone ?? "";
}

/** Returns a positive number of the query. Throws a 400 for anything else. */
function readCount({ query }: PeerCall, name: string, usual: number): number {
  const text = query.get(name) ?? "";
  if (text === "") return usual;
  if (!/^\d{1,10}$/.test(text) || Number(text) === 0) throw badRequest(`${name} must be a positive number`);
  return Number(text);
}

function isShownFolder(call: PeerCall): boolean {
  return isShownMailbox(call) && (call.query.get("foldername") || "INBOX").toUpperCase() === "INBOX";
}

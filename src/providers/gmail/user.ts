/** Mailbox of the user that a request names, and the mails in it. */
import { baseSubject } from "../../core/fold.ts";
import { decodeMessageId, type MessageId, parseMessageId } from "../../core/ids.ts";
import type { Direction, HeaderField } from "../../core/message.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import { digitsOfUuid, uuidOfHex } from "../formats/uuid.ts";
import type { Call } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { delegationDenied, failedPrecondition, invalidArgument, notFoundEntity } from "./errors.ts";
import { Labels, spamAndTrash } from "./labels.ts";
import { readQuery } from "./query.ts";

/** Mailbox of a user, with its labels. */
export interface User {
  readonly mailbox: ProviderMailbox;
  readonly labels: Labels;
}

/** Opens the mailbox of the user in the path: `me`, or an address. */
export async function openUser({ session, request: { params } }: Pick<Call, "session" | "request">): Promise<User> {
  const { user = "" } = params;
  const isAddress = user.includes("@");
  if (!isAddress && user !== "me") throw delegationDenied(user.slice(0, 100));
  const mailbox = await onProblem("not_found", session.openMailbox(isAddress ? user : null), () =>
    isAddress ? delegationDenied(user.slice(0, 100)) : failedPrecondition("Mail service not enabled"),
  );
  return { mailbox, labels: await Labels.open(session, mailbox) };
}

/** Returns the id of a mail or thread in a request. */
export function idOf(text: string): MessageId {
  const id = /^[0-9a-f]{32}$/.test(text) ? parseMessageId(uuidOfHex(text)) : undefined;
  if (id === undefined) throw invalidArgument("Invalid id value");
  return id;
}

/** Returns a mail without its bodies. */
export async function openMail({ mailbox }: Pick<User, "mailbox">, id: MessageId): Promise<MailboxMessage> {
  const [mail] = await mailbox.readHeads([id]);
  if (mail === undefined) throw notFoundEntity();
  return mail;
}

/** Ids in a mail, as resources refer to it. */
export interface MailIds {
  readonly id: string;
  readonly threadId: string;
}

/** Returns the ids of a mail and its thread. */
export async function idsOf(user: Pick<User, "mailbox">, mail: MailboxMessage): Promise<MailIds> {
  const { subject, metadata } = mail.message;
  const thread = await threadOf(user, { id: mail.id, subject, headers: metadata.headers });
  return { id: digitsOfUuid(mail.id), threadId: digitsOfUuid(thread) };
}

/** Mail as its thread is found. */
interface Threaded {
  readonly id: MessageId;
  readonly subject: string;
  readonly headers: readonly HeaderField[];
}

const ancestorCountMax = 20;
const referenceCountMax = 50;

/**
 * Returns the id of a mail's thread, which is that of its first mail: of the oldest one in the mailbox that the mail refers
 * to, also over others, and that has the same subject.
 */
export async function threadOf({ mailbox }: Pick<User, "mailbox">, mail: Threaded): Promise<MessageId> {
  let { id } = mail;
  let { headers } = mail;
  for (let count = 0; count < ancestorCountMax; count += 1) {
    const names = referencesOf(headers);
    if (names.length === 0) return id;
    const expression = or(
      ...names.map((name) => ({ kind: "part" as const, part: "messageId" as const, term: foldPart(name) })),
    );
    const { ids } = await mailbox.list({ expression, direction: null, first: "oldest", top: 1 });
    const [parent] = await mailbox.readHeads(ids);
    if (parent === undefined || compareAge(parent.id, id) >= 0) return id;
    if (baseSubject(parent.message.subject) !== baseSubject(mail.subject)) return id;
    ({ id } = parent);
    ({ headers } = parent.message.metadata);
  }
  return id;
}

function referencesOf(headers: readonly HeaderField[]): readonly string[] {
  const text = headers.filter(({ field }) => /^(?:references|in-reply-to)$/i.test(field)).map(({ value }) => value);
  const names =
    text
      .join(" ")
      .slice(0, 64 * 1024)
      .match(/<[^<>\s]{1,998}>/g) ?? [];
  return [...new Set(names)].slice(0, referenceCountMax);
}

/** Compares the instants of mails, the oldest first. */
function compareAge(one: MessageId, other: MessageId): number {
  const [a, b] = [decodeMessageId(one), decodeMessageId(other)];
  return a.receivedAt - b.receivedAt || a.random - b.random;
}

/** Section of the mails that a list request asks for, newest first. */
export interface MailPage {
  readonly ids: readonly MessageId[];
  /** Null for the last page. */
  readonly nextPageToken: string | null;
  readonly resultSizeEstimate: number;
  /** Number of the last change of the mailbox. */
  readonly cursor: number;
}

const both: readonly Direction[] = ["Received", "Sent"];

/** Returns a page of mails by the parameters `q`, `labelIds`, `includeSpamTrash`, `maxResults` and `pageToken`; `within` is a label that all have. */
export async function listMails(
  user: User,
  { request: { fields }, services }: Pick<Call, "request" | "services">,
  within: readonly string[] = [],
): Promise<MailPage> {
  const top = Math.min(
    naturalOf(fields, "maxResults", { absent: 100, max: 2 ** 32, invalid: invalidArgument("Invalid maxResults") }) ||
      100,
    500,
  );
  const token = fieldOf(fields, "pageToken");
  const before = token === undefined ? {} : { before: pageStart(token) };
  const labels = [...within, ...fields.filter(([name]) => name === "labelIds").map(([, id]) => id)];
  const unknown = labels.find((id) => !user.labels.has(id));
  if (unknown !== undefined) throw invalidArgument(`Invalid label: ${unknown.slice(0, 100)}`);
  const includesAll =
    fieldOf(fields, "includeSpamTrash") === "true" || labels.some((id) => id === "TRASH" || id === "SPAM");
  const expressionIn = (direction: Direction): SearchExpression => {
    const labelled = (label: string): SearchExpression => user.labels.condition(label, direction);
    const query = readQuery(fieldOf(fields, "q") ?? "", { now: services.now(), labelled });
    const rest = includesAll || query.namesPlace ? [] : [not(spamAndTrash)];
    return and(query.expression, ...labels.map(labelled), ...rest);
  };
  const searches = both.map((direction) => ({ direction, expression: expressionIn(direction) }));
  const pages = [];
  for (const search of searches) pages.push(await user.mailbox.list({ ...search, ...before, top: top + 1 }));
  const found = pages.flatMap(({ ids }) => ids).toSorted((a, b) => compareAge(b, a));
  const ids = found.slice(0, top);
  const hasMore = found.length > top;
  let count = ids.length;
  if (hasMore)
    count = (await Promise.all(searches.map(async (search) => user.mailbox.count(search)))).reduce((a, b) => a + b, 0);
  const last = ids.at(-1);
  const nextPageToken = hasMore && last !== undefined ? digitsOfUuid(last) : null;
  return { ids, nextPageToken, resultSizeEstimate: count, cursor: pages[0]?.cursor ?? 0 };
}

function pageStart(token: string): MessageId {
  if (!/^[0-9a-f]{32}$/.test(token)) throw invalidArgument("Invalid pageToken");
  return idOf(token);
}

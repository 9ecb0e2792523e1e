/** Mails as Gmail shows them: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages */
import { baseSubject } from "../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import { escapeHtml } from "../formats/html-text.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { spamAndTrash } from "./labels.ts";
import { bytesText, headerPayload, wholePayload } from "./payload.ts";
import { readQuery } from "./query.ts";
import { idOf, knownLabels, type User } from "./user.ts";

/** Returns a mail without its bodies. */
export async function openMail({ mailbox }: User, id: MessageId): Promise<MailboxMessage> {
  const [mail] = await mailbox.readHeads([id]);
  if (mail === undefined) throw notFoundEntity();
  return mail;
}

/** Ids in a mail, as resources refer to it. */
export interface MailIds {
  readonly id: string;
  readonly threadId: string;
}

const ancestorCountMax = 20;
const referenceCountMax = 50;

/**
 * Returns the ids of a mail and of its thread, which is that of its first mail: of the oldest one in the mailbox that the mail
 * refers to, also over others, and that has the same subject.
 */
export async function idsOf({ mailbox }: User, mail: MailboxMessage): Promise<MailIds> {
  const subject = baseSubject(mail.message.subject);
  let first = mail;
  for (let count = 0; count < ancestorCountMax; count += 1) {
    const parent = await parentOf(mailbox, first);
    if (parent === undefined || baseSubject(parent.message.subject) !== subject) break;
    first = parent;
  }
  return { id: digitsOfUuid(mail.id), threadId: digitsOfUuid(first.id) };
}

/** Returns the oldest mail that a mail refers to; undefined when it is none that is older. */
async function parentOf(
  mailbox: ProviderMailbox,
  { id, message }: MailboxMessage,
): Promise<MailboxMessage | undefined> {
  const fields = message.metadata.headers.filter(({ field }) => /^(?:references|in-reply-to)$/i.test(field));
  const text = fields.map(({ value }) => value).join(" ");
  const names = new Set(text.slice(0, 64 * 1024).match(/<[^<>\s]{1,998}>/g));
  if (names.size === 0) return undefined;
  const terms = [...names]
    .slice(0, referenceCountMax)
    .map((name) => ({ kind: "part", part: "messageId", term: foldPart(name) }) as const);
  const { ids } = await mailbox.list({ expression: or(...terms), direction: null, first: "oldest", top: 1 });
  const [parent] = await mailbox.readHeads(ids);
  return parent === undefined || compareAge(parent.id, id) >= 0 ? undefined : parent;
}

/** Compares the instants of mails, the oldest first. */
function compareAge(one: MessageId, other: MessageId): number {
  const [a, b] = [decodeMessageId(one), decodeMessageId(other)];
  return a.receivedAt - b.receivedAt || a.random - b.random;
}

/** Returns all values of a parameter that may be repeated. */
export function valuesOf(fields: FormFields, name: string): readonly string[] {
  return fields.flatMap(([own, value]) => (own === name ? [value] : []));
}

/** Returns the size of a page: `maxResults`, at most 500. */
export function pageSizeOf(fields: FormFields): number {
  const invalid = invalidArgument("Invalid maxResults");
  return Math.min(naturalOf(fields, "maxResults", { absent: 100, max: 2 ** 32, invalid }) || 100, 500);
}

/** Section of the mails that a list request asks for, newest first. */
interface MailPage {
  readonly mails: readonly MailboxMessage[];
  /** Null for the last page. */
  readonly nextPageToken: string | null;
  readonly resultSizeEstimate: number;
}

/** Returns a page of mails by the parameters `q`, `labelIds`, `includeSpamTrash`, `maxResults` and `pageToken`; `within` is a label that all have. */
export async function listMails(user: User, within: readonly string[] = []): Promise<MailPage> {
  const { mailbox, request, services } = user;
  const { fields } = request;
  const top = pageSizeOf(fields);
  const token = fieldOf(fields, "pageToken");
  const before = token === undefined ? {} : { before: pageStart(token) };
  const labels = knownLabels(user, [...within, ...valuesOf(fields, "labelIds")]);
  const includesAll =
    fieldOf(fields, "includeSpamTrash") === "true" || labels.some((id) => id === "TRASH" || id === "SPAM");
  const expressionIn = (direction: Direction): SearchExpression => {
    const labelled = (label: string): SearchExpression => user.labels.condition(label, direction);
    const query = readQuery(fieldOf(fields, "q") ?? "", { now: services.now(), labelled });
    const rest = includesAll || query.namesPlace ? [] : [not(spamAndTrash)];
    return and(query.expression, ...labels.map(labelled), ...rest);
  };
  const searches = (["Received", "Sent"] as const).map((direction) => {
    return { direction, expression: expressionIn(direction) };
  });
  const found: MessageId[] = [];
  for (const search of searches) found.push(...(await mailbox.list({ ...search, ...before, top: top + 1 })).ids);
  const ids = found.toSorted((a, b) => compareAge(b, a)).slice(0, top);
  const mails = await mailbox.readHeads(ids);
  const last = found.length > top ? ids.at(-1) : undefined;
  if (last === undefined) return { mails, nextPageToken: null, resultSizeEstimate: ids.length };
  const counts = await Promise.all(searches.map(async (search) => mailbox.count(search)));
  return { mails, nextPageToken: digitsOfUuid(last), resultSizeEstimate: counts.reduce((a, b) => a + b, 0) };
}

function pageStart(token: string): MessageId {
  if (!/^[0-9a-f]{32}$/.test(token)) throw invalidArgument("Invalid pageToken");
  return idOf(token);
}

/** Returns a list by its name, and what is behind it. */
export function listed(name: string, items: readonly JsonObject[], page: Omit<MailPage, "mails">): JsonObject {
  const { nextPageToken, resultSizeEstimate } = page;
  return {
    ...(items.length > 0 && { [name]: items }),
    ...(nextPageToken !== null && { nextPageToken }),
    resultSizeEstimate,
  };
}

const formats = ["full", "metadata", "minimal", "raw"] as const;

/** Content of mails that a request asks for. */
interface MailFormat {
  readonly format: (typeof formats)[number];
  /** Names of the header fields in `metadata`; none for all. */
  readonly names: readonly string[];
}

/** Reads `format` and `metadataHeaders`. */
export function formatOf({ request: { fields } }: User): MailFormat {
  const given = (fieldOf(fields, "format") ?? "full").toLowerCase();
  const format = formats.find((one) => one === given);
  if (format === undefined) throw invalidArgument(`Invalid value at 'format' (TYPE_ENUM), "${given.slice(0, 50)}"`);
  return { format, names: valuesOf(fields, "metadataHeaders") };
}

/** Returns a mail in a format. */
export async function mailResource(user: User, mail: MailboxMessage, format: MailFormat): Promise<JsonObject> {
  const { excerpt, sequence } = await user.mailbox.outline(mail.id);
  return {
    ...(await mailReference(user, mail)),
    snippet: escapeHtml(excerpt),
    ...(await contentOf(user, mail, format)),
    sizeEstimate: mail.sizeBytes,
    historyId: String(sequence),
    internalDate: String(Date.parse(mail.message.received)),
  };
}

async function contentOf(
  { mailbox }: User,
  { id }: MailboxMessage,
  { format, names }: MailFormat,
): Promise<JsonObject> {
  if (format === "minimal") return {};
  const raw = await mailbox.getRaw(id);
  if (format === "raw") return { raw: bytesText(raw) };
  return { payload: format === "metadata" ? headerPayload(raw, names) : wholePayload(raw) };
}

/** Returns the ids and labels of a mail, as responses to changes show it. */
export async function mailReference(user: User, mail: MailboxMessage): Promise<JsonObject> {
  const labelIds = user.labels.idsOf(mail);
  return { ...(await idsOf(user, mail)), ...(labelIds.length > 0 && { labelIds }) };
}

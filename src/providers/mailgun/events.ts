/** Endpoint of events: every recipient has one `accepted` and one `delivered`. */
import { createHash } from "node:crypto";
import { readMailDate } from "../../core/mail-date.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { MailEvent } from "../callbacks.ts";
import type { EmailSession, StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { eventWire, kinds, storageOf, type EventMail } from "./event-webhook.ts";
import { requireDomain } from "./request.ts";
import { baseOf, contactText, domainOfId, envelopeOf, mailgunUuidOf } from "./response.ts";

/** Most mails that a request looks at, newest first, and mails that are in memory at once. */
const bounds = { countMax: 300, pageSize: 25 };
/** Most events that a request pages through. */
const eventCountMax = 20_000;
const limitMax = 300;
const limitDefault = 100;

/** Lists events: `GET /v3/:domain/events`, and `/v3/:domain/events/:page` for the URLs in `paging`. */
export const listEvents: Handler = async ({ request, session }) => {
  const domain = requireDomain(request.params["domain"] ?? "");
  const { page } = request.params;
  const { fields, offset } = page === undefined ? { fields: request.fields, offset: 0 } : readPage(page);
  const range = readRange(fields);
  const limit = readLimit(fieldOf(fields, "limit"));
  const matches = readMatcher(fields);
  const origin = baseOf(request);
  const newestFirst: ListedEvent[] = [];
  for await (const email of mailsOf(session, fields, range)) {
    if (domainOfId(email.providerId) !== domain.toLowerCase()) continue;
    const events = eventsOf(email, `${origin}/v3/domains/${domain}`).filter(
      (event) => event.at >= range.since && event.at <= range.before && matches(event),
    );
    newestFirst.push(...events.slice(0, eventCountMax - newestFirst.length));
    if (newestFirst.length === eventCountMax) break;
  }
  newestFirst.sort((a, b) => b.at - a.at);
  const sorted = range.isAscending ? newestFirst.toReversed() : newestFirst;
  const items = offset < 0 ? [] : sorted.slice(offset, offset + limit);
  const pageUrl = (at: number): string =>
    `${origin}/v3/${domain}/events/${Buffer.from(JSON.stringify({ fields, offset: at })).toString("base64url")}`;
  const paging = {
    next: pageUrl(Math.max(offset, 0) + items.length),
    previous: pageUrl(offset - limit),
    first: pageUrl(0),
    last: pageUrl(Math.max(0, sorted.length - limit)),
  };
  return jsonResponse(200, { items: items.map(listedWire), paging });
};

/** Event of one recipient; its mail is shared by all events of the mail. */
interface ListedEvent extends Pick<MailEvent, "type" | "recipient" | "at"> {
  readonly mail: EventMail;
  readonly uuid: string;
}

/** Returns the events of a mail, newest first. */
function eventsOf(email: StoredEmail, domainUrl: string): readonly ListedEvent[] {
  const { message, createdAt, sendAt, providerId, facts } = email;
  const { sender, from, subject, recipients } = envelopeOf(email);
  const attachments = message.attachments.map(({ fileName, contentType, length }) => ({
    filename: fileName,
    "content-type": contentType,
    size: length,
  }));
  // The size of the whole mail is not known here.
  const bodyBytes = Buffer.byteLength(message.text.body ?? "") + Buffer.byteLength(message.html.body ?? "");
  const size = attachments.reduce((sum, file) => sum + file.size, bodyBytes);
  const to = message.to.map(contactText).join(", ");
  const headers = { to, "message-id": providerId.replaceAll(/[<>]/g, ""), from, subject };
  const uuid = mailgunUuidOf(providerId);
  const mail = { facts, sender, message: { headers, attachments, size }, storage: storageOf(uuid, domainUrl) };
  const instants = { delivered: Math.max(createdAt, sendAt ?? 0), processed: createdAt };
  return (["delivered", "processed"] as const).flatMap((type) =>
    recipients.map((recipient) => ({ mail, uuid, type, recipient, at: instants[type] })),
  );
}

function listedWire({ mail, uuid, type, recipient, at }: ListedEvent): JsonObject {
  const id = createHash("sha256").update(`${kinds[type].event} ${uuid} ${recipient}`).digest("base64url").slice(0, 22);
  return eventWire({ type, id, at, recipient, details: {} }, mail);
}

/** Range of instants in milliseconds since the Unix epoch, both inclusive. */
type TimeRange = ReturnType<typeof readRange>;

function readRange(fields: FormFields) {
  const begin = readInstant(fields, "begin");
  const end = readInstant(fields, "end");
  const direction = fieldOf(fields, "ascending");
  const isAscending = direction === undefined ? begin !== null && end !== null && begin <= end : direction === "yes";
  // Without an end, a descending range goes back in time from `begin`.
  const [first, last] = isAscending ? [begin, end] : [end, begin];
  return { since: first ?? -Infinity, before: last ?? Infinity, isAscending };
}

function readInstant(fields: FormFields, name: string): number | null {
  const text = fieldOf(fields, name);
  if (text === undefined) return null;
  const instant = /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) * 1000 : readMailDate(text)?.instant;
  if (instant === undefined) throw mailgunError(texts.parameterInvalid(name));
  return instant;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return limitDefault;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw mailgunError(texts.parameterInvalid("limit"));
  return Math.min(limit, limitMax);
}

/** Returns whether an event matches the filters; a field that is given several times must match every expression. */
function readMatcher(fields: FormFields): (event: ListedEvent) => boolean {
  const matchers = fields.map(([name, value]) => [name, parseExpression(value.replaceAll(/[<>]/g, ""))] as const);
  return ({ type, recipient, mail: { message, facts } }) => {
    const { attachments, headers } = message;
    const values = new Map<string, readonly string[]>([
      ...Object.entries({ ...headers, event: kinds[type].event, recipient }).map(
        ([name, one]) => [name, [one]] as const,
      ),
      ["tags", facts.tags],
      ["attachment", attachments.map(({ filename }) => filename)],
      ["list", []],
    ]);
    return matchers.every(([name, isMatch]) => {
      const own = values.get(name);
      return own === undefined || isMatch(own);
    });
  };
}

/** Returns the mails that can have matching events, newest first; a message id or a whole address narrows them. */
async function* mailsOf(session: EmailSession, fields: FormFields, range: TimeRange): AsyncGenerator<StoredEmail> {
  const uuid = mailgunUuidOf(fieldOf(fields, "message-id") ?? "");
  if (uuid !== "") {
    const email = await onProblem("not_found", session.getEmail(uuid), () => null);
    if (email !== null && email.id !== null) yield email;
    return;
  }
  const recipient = fieldOf(fields, "recipient") ?? "";
  const filter = {
    to: isEmailAddress(recipient) ? recipient : null,
    since: Number.isFinite(range.since) ? Math.floor(range.since) : null,
    before: Number.isFinite(range.before) ? Math.floor(range.before) + 1 : null,
  };
  yield* newestEmails(session, filter, bounds);
}

/** Decodes a page as URLs name it, its filters and offset as JSON; throws Mailgun's error for anything else. */
function readPage(text: string): { readonly fields: FormFields; readonly offset: number } {
  const { fields, offset } = readJsonObject(Buffer.from(text, "base64url")) ?? {};
  const isPair = (one: unknown): one is [string, string] =>
    Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === "string");
  if (!Array.isArray(fields) || !fields.every(isPair) || !Number.isSafeInteger(offset)) {
    throw mailgunError(texts.parameterInvalid("page"));
  }
  return { fields, offset: offset as number };
}

/** Returns whether any of the values of a field matches. */
export type FieldMatcher = (values: readonly string[]) => boolean;

const token = /"([^"]*)"|[^\s"]+/g;

/** Parses a filter expression; letter case is ignored. An empty expression matches everything. */
export function parseExpression(expression: string): FieldMatcher {
  const alternatives: FieldMatcher[][] = [[]];
  let isWanted = true;
  for (const [whole, quoted] of expression.slice(0, 1000).matchAll(token)) {
    if (whole === "OR") alternatives.push([]);
    else if (whole === "NOT") isWanted = false;
    else if (whole !== "AND") {
      const [text, isIncluded] = [(quoted ?? whole).toLowerCase(), isWanted];
      alternatives.at(-1)?.push((values) => values.some((value) => value.includes(text)) === isIncluded);
      isWanted = true;
    }
  }
  const given = alternatives.filter((terms) => terms.length > 0);
  return (values) => {
    const lower = values.map((value) => value.toLowerCase());
    return given.length === 0 || given.some((terms) => terms.every((isMatch) => isMatch(lower)));
  };
}

/** Endpoint of events. */
import { readMailDate } from "../../core/mail-date.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { EmailSession, StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";
import { eventsOf, eventWire, valuesOfEvent, type MailEvent } from "./event.ts";
import { requireDomain } from "./request.ts";
import { domainOfId, mailgunUuidOf } from "./response.ts";

/** Most mails that a request looks at, newest first, and mails that are in memory at once. */
const bounds = { countMax: 300, pageSize: 25 };
/** Most events that a request pages through. */
const eventCountMax = 20_000;
const limitMax = 300;
const limitDefault = 100;

/** Query of one page of events. */
interface EventQuery {
  readonly fields: FormFields;
  readonly offset: number;
}

/** Lists events: `GET /v3/:domain/events`, and `/v3/:domain/events/:page` for the URLs in `paging`. */
export const listEvents: Handler = async ({ request, session }) => {
  const domain = requireDomain(request.params["domain"] ?? "");
  const query = readPage(request.params["page"]) ?? { fields: request.fields, offset: 0 };
  const range = readRange(query.fields);
  const limit = readLimit(fieldOf(query.fields, "limit"));
  const matchers = readMatchers(query.fields);
  const origin = urlBeforePath(request);
  const newestFirst = await collectEvents(mailsOf(session, query.fields, range), (event) => {
    const isInRange = event.timestamp >= range.since && event.timestamp <= range.before;
    return isInRange && domainOfId(event.mail.messageId) === domain.toLowerCase() && matches(matchers, event);
  });
  const sorted = range.isAscending ? newestFirst.toReversed() : newestFirst;
  const { offset } = query;
  const items = offset < 0 ? [] : sorted.slice(offset, offset + limit);
  const pageUrl = (at: number): string => `${origin}/v3/${domain}/events/${pageOf({ ...query, offset: at })}`;
  const paging = {
    next: pageUrl(Math.max(offset, 0) + items.length),
    previous: pageUrl(offset - limit),
    first: pageUrl(0),
    last: pageUrl(Math.max(0, sorted.length - limit)),
  };
  return jsonResponse(200, { items: items.map((one) => eventWire(one, `${origin}/v3/domains/${domain}`)), paging });
};

/** Returns the matching events, newest first. */
async function collectEvents(
  emails: AsyncIterable<StoredEmail>,
  isMatch: (event: MailEvent) => boolean,
): Promise<readonly MailEvent[]> {
  const events: MailEvent[] = [];
  for await (const email of emails) {
    for (const event of eventsOf(email)) if (isMatch(event) && events.length < eventCountMax) events.push(event);
    if (events.length === eventCountMax) break;
  }
  return events.toSorted((a, b) => b.timestamp - a.timestamp);
}

interface TimeRange {
  /** Milliseconds since the Unix epoch, both inclusive. */
  readonly since: number;
  readonly before: number;
  readonly isAscending: boolean;
}

function readRange(fields: FormFields): TimeRange {
  const begin = readInstant(fields, "begin");
  const end = readInstant(fields, "end");
  const direction = fieldOf(fields, "ascending");
  const isAscending = direction === undefined ? begin !== null && end !== null && begin <= end : direction === "yes";
  // Without an end, a descending range goes back in time from `begin`.
  const [first, last] = isAscending ? [begin, end] : [end, begin];
  const since = first ?? Number.NEGATIVE_INFINITY;
  const before = last ?? Number.POSITIVE_INFINITY;
  return since > before && direction === undefined
    ? { since: before, before: since, isAscending }
    : { since, before, isAscending };
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

type Matchers = readonly (readonly [name: string, matcher: FieldMatcher])[];

/** A field that is given several times must match every expression. */
function readMatchers(fields: FormFields): Matchers {
  return fields.map(([name, value]) => [name, parseExpression(value.replaceAll(/[<>]/g, ""))]);
}

function matches(matchers: Matchers, event: MailEvent): boolean {
  const values = valuesOfEvent(event);
  return matchers.every(([name, isMatch]) => {
    const own = values.get(name);
    return own === undefined || isMatch(own);
  });
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

function pageOf({ fields, offset }: EventQuery): string {
  return Buffer.from(JSON.stringify({ fields, offset })).toString("base64url");
}

/** Decodes a page that {@link pageOf} encoded; throws Mailgun's error for anything else. */
function readPage(text: string | undefined): EventQuery | undefined {
  if (text === undefined) return undefined;
  const value = readJson(Buffer.from(text, "base64url"));
  const { fields, offset } = isJsonObject(value) ? value : {};
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
  const groups = groupsOf(expression);
  if (groups.length === 0) return () => true;
  return (values) => {
    const lower = values.map((value) => value.toLowerCase());
    return groups.some((terms) =>
      terms.every(({ text, isNegated }) => lower.some((value) => value.includes(text)) !== isNegated),
    );
  };
}

interface Term {
  readonly text: string;
  readonly isNegated: boolean;
}

/** Returns the alternatives of an expression, each with all of its terms. */
function groupsOf(expression: string): readonly (readonly Term[])[] {
  const groups: Term[][] = [[]];
  let isNegated = false;
  for (const [whole, quoted] of expression.slice(0, 1000).matchAll(token)) {
    if (quoted === undefined && whole === "OR") groups.push([]);
    else if (quoted === undefined && whole === "NOT") isNegated = true;
    else if (quoted !== undefined || whole !== "AND") {
      groups.at(-1)?.push({ text: (quoted ?? whole).toLowerCase(), isNegated });
      isNegated = false;
    }
  }
  return groups.filter((terms) => terms.length > 0);
}

/** Facts of a mail that events of providers repeat. */
import { randomUUID } from "node:crypto";
import type { EventMessage } from "../../core/events.ts";
import { foldText } from "../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Contact, HeaderField } from "../../core/message.ts";
import type { EventDetails, EventMail, MailEvent, MailEventType } from "../../providers/callbacks.ts";
import type { ProviderFacts } from "../../providers/email.ts";
import type { Context } from "../context.ts";
import { meetsArrivalTerm } from "../services/events/waiters.ts";
import { evaluate, type SearchExpression } from "../../core/search/search-expression.ts";
import { storedKeysOf } from "../services/reading/email-record.ts";
import { decodeDetail, decodeExcerpt, type StoredDetail } from "../services/reading/stored-detail.ts";

// Facts of a stored message that callbacks repeat.

/** Stored message that callbacks are about. */
export interface CallbackMessage {
  readonly id: MessageId;
  readonly detail: StoredDetail;
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Returns a message; undefined when it was deleted. */
export async function readCallbackMessage({ store }: Context, id: MessageId): Promise<CallbackMessage | undefined> {
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  return { id, detail: decodeDetail(bytes), sizeBytes: decodeExcerpt(bytes).sizeBytes };
}

/** Returns the envelope recipients of a message; without an envelope, those of its header fields. No duplicates. */
export function recipientsOf({ detail: { message } }: CallbackMessage): readonly string[] {
  const { to, cc, bcc, metadata } = message;
  const contacts = metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc];
  const byFolded = new Map<string, string>();
  for (const { email } of contacts) {
    if (email !== null && email !== "" && !byFolded.has(email.toLowerCase())) byFolded.set(email.toLowerCase(), email);
  }
  return [...byFolded.values()];
}

/** Returns whether a message matches an expression of keys and texts, as a search for it does. */
export type MessageMatcher = (expression: SearchExpression) => Promise<boolean>;

/**
 * Creates a matcher of one message for any number of expressions: the mail is read and parsed once, and only for terms of
 * its body that the other terms do not decide.
 */
export function createMessageMatcher(context: Context, message: CallbackMessage): MessageMatcher {
  let keys: Omit<EventMessage, "body"> | null = null;
  let body: Promise<string> | null = null;
  return async (expression) => {
    keys ??= storedKeysOf(message.detail);
    const facts = { ...keys, body: null };
    const known = evaluate(expression, (term) => meetsArrivalTerm(facts, term));
    if (known !== null) return known;
    body ??= searchBodyOf(context, message);
    const whole = { ...keys, body: await body };
    return evaluate(expression, (term) => meetsArrivalTerm(whole, term)) !== false;
  };
}

async function searchBodyOf(
  { store, readEmail }: Context,
  { id, detail: { message } }: CallbackMessage,
): Promise<string> {
  if (message.type === "SMS") return foldText(message.text?.body ?? "");
  const raw = await store.getRaw(id);
  return raw === undefined ? "" : (await readEmail(raw, decodeMessageId(id).server)).searchBody.join("\n");
}

/** Bounds that keep the texts of a mail below 24,000 characters, and a delivery below 256 kB. */
const addressesLengthMax = 3000;
const textLengthMax = 1000;
const factsLengthMax = 4000;
const headersLengthMax = 2000;
const templateLengthMax = 3000;

/** Returns the facts of a mail, cut to 24,000 characters. */
export function eventMailOf({ id, detail, sizeBytes }: CallbackMessage): EventMail {
  const { message } = detail;
  const { server, receivedAt } = decodeMessageId(id);
  const { provider = null } = message;
  const messageId = message.metadata.headers.find(({ field }) => field.toLowerCase() === "message-id")?.value ?? "";
  return {
    id,
    providerId: cut(provider?.id ?? id),
    messageId: cut(messageId.trim().replace(/^<|>$/g, "")),
    from: cut(message.from[0]?.email ?? message.metadata.mailFrom ?? ""),
    to: addressesOf(message.to),
    cc: addressesOf(message.cc),
    subject: cut(message.subject),
    ...ownHeadersOf(message.metadata.headers),
    sizeBytes,
    sentAt: receivedAt,
    facts: provider === null ? { tags: [], metadata: {}, template: null } : boundFacts(provider),
    server,
  };
}

/** Returns an event about a mail. */
export function mailEvent(
  mail: EventMail,
  { type, recipient, at, details }: { type: MailEventType; recipient: string; at: number; details: EventDetails },
): MailEvent {
  return { id: randomUUID(), type, at, recipient, mail, details };
}

function addressesOf(contacts: readonly Contact[]): readonly string[] {
  return takeWithin(
    contacts.flatMap(({ email }) => (email === null ? [] : [email])),
    addressesLengthMax,
    (address) => address.length,
  );
}

/** Header fields that events show otherwise, or that do not come from the application. */
const standardHeaders =
  /^(?:from|to|cc|bcc|subject|date|message-id|mime-version|content-.*|received|return-path|dkim-signature|authentication-results)$/i;

function ownHeadersOf(headers: readonly HeaderField[]): Pick<EventMail, "headers" | "isHeadersCut"> {
  const own = headers.filter(({ field }) => !standardHeaders.test(field));
  const shown = takeWithin(own, headersLengthMax, ({ field, value }) => field.length + value.length);
  return {
    headers: shown.map(({ field, value }) => ({ field, value: value.toWellFormed() })),
    isHeadersCut: shown.length < own.length,
  };
}

function boundFacts({ tags, metadata, template }: ProviderFacts): ProviderFacts {
  const entries = takeWithin(Object.entries(metadata), factsLengthMax, ([name, value]) => name.length + value.length);
  const isSmall = template === null || (JSON.stringify(template.data) ?? "").length <= templateLengthMax;
  return {
    tags: takeWithin(tags, textLengthMax, (tag) => tag.length),
    metadata: Object.fromEntries(entries),
    template: template === null ? null : { id: cut(template.id), data: isSmall ? template.data : {} },
  };
}

/** Returns the first items whose sizes add up to at most `max`. */
function takeWithin<Item>(items: readonly Item[], max: number, sizeOf: (item: Item) => number): readonly Item[] {
  let total = 0;
  const end = items.findIndex((item) => (total += sizeOf(item)) > max);
  return end === -1 ? items : items.slice(0, end);
}

function cut(text: string): string {
  return text.slice(0, textLengthMax).toWellFormed();
}

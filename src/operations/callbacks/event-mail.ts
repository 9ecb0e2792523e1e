/** Facts of a mail that events of providers repeat. */
import { decodeMessageId } from "../../core/ids.ts";
import type { Contact, HeaderField } from "../../core/message.ts";
import type { EventDetails, EventMail, MailEvent, MailEventType } from "../../providers/callbacks.ts";
import type { ProviderFacts } from "../../providers/email.ts";
import { randomUUID } from "node:crypto";
import type { CallbackMessage } from "./message-facts.ts";

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

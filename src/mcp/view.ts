/** Views of messages for results: bounded, and always fenced by the caller. */
import type { Attachment, Contact, Link, Message, Summary } from "../core/message.ts";
import { contentLengthMax, fieldLengthMax, linkLengthMax, overviewBodyLengthMax, overviewCountMax } from "./bounds.ts";

const listedContactCountMax = 5;

/** Elements of a result, and whether further ones were left out. */
export interface Fitting {
  readonly shown: readonly object[];
  readonly hasMore: boolean;
}

/** Returns the first elements whose JSON has at most `contentLengthMax` characters together; at least one. */
export function fitting(elements: readonly object[]): Fitting {
  let length = 0;
  const end = elements.findIndex((element, position) => {
    length += JSON.stringify(element).length;
    return length > contentLengthMax && position > 0;
  });
  return end === -1 ? { shown: elements, hasMore: false } : { shown: elements.slice(0, end), hasMore: true };
}

/** Returns a contact as `Name <address>`. */
export function contactText({ name, email, phone }: Contact): string {
  const address = email ?? phone ?? "";
  return shorten(name === "" ? address : `${name} <${address}>`, fieldLengthMax);
}

function contactTexts(contacts: readonly Contact[], countMax: number): readonly string[] {
  const shown = contacts.slice(0, countMax).map(contactText);
  return contacts.length > countMax ? [...shown, `… and ${String(contacts.length - countMax)} more`] : shown;
}

/** Returns the row of a message in a list. */
export function summaryView(summary: Summary): object {
  const { id, type, subject, from, to, received, attachments } = summary;
  return {
    id,
    type,
    received,
    from: contactTexts(from, 1),
    to: contactTexts(to, listedContactCountMax),
    subject: shorten(subject, fieldLengthMax),
    summary: shorten(summary.summary, fieldLengthMax),
    attachments,
  };
}

/** Returns links in the order of the message, those of the HTML first, each once. */
export function linksOf({ html, text }: Message): readonly Link[] {
  const seen = new Set(html.links.map(({ href }) => href));
  return [...html.links, ...text.links.filter(({ href }) => !seen.has(href))];
}

/** Returns codes in the order of the message, each once. */
export function codesOf({ html, text }: Message): readonly string[] {
  return Array.from(new Set([...html.codes, ...text.codes].map(({ value }) => value)));
}

/** Returns the row of a link. */
export function linkView({ href, text }: Link, lengthMax: number = linkLengthMax): object {
  return { href: shorten(href, lengthMax), text: text === null ? null : shorten(text, fieldLengthMax) };
}

function attachmentView({ id, contentType, fileName, length }: Attachment): object {
  return { id, fileName: shorten(fileName, fieldLengthMax), contentType: shorten(contentType, 100), length };
}

/** An overview, and whether the body continues beyond it. */
export interface Overview {
  readonly shown: object;
  /** Part with the rest of the body; null when the overview has all of it. */
  readonly rest: "text" | "html" | null;
}

/** Returns the overview of a message: addresses, subject, beginning of the body, codes, links and attachments. */
export function overviewOf(message: Message): Overview {
  const { type, received, subject, attachments, defects, delivery, provider, sms } = message;
  const part = message.text.body === null && message.html.body !== null ? "html" : "text";
  const body = pageOf(message[part].body ?? "", 0, overviewBodyLengthMax);
  const people = (["from", "to", "cc", "bcc"] as const).map((field) => {
    return [field, contactTexts(message[field], overviewCountMax)] as const;
  });
  const shown = {
    type,
    received,
    ...Object.fromEntries(people.filter(([, contacts]) => contacts.length > 0)),
    subject: shorten(subject, fieldLengthMax),
    [part]: body.text,
    ...(part === "text" && message.html.body !== null && { htmlLength: message.html.body.length }),
    ...listed("codes", codesOf(message)),
    ...listed(
      "links",
      linksOf(message).map((link) => linkView(link, fieldLengthMax)),
    ),
    ...listed("attachments", attachments.map(attachmentView)),
    ...listed(
      "defects",
      defects.map((defect) => shorten(defect, fieldLengthMax)),
    ),
    ...(delivery !== undefined && { delivery: { ...delivery, lastError: shortenOrNull(delivery.lastError) } }),
    ...(sms !== undefined && { sms }),
    ...(provider !== undefined && provider !== null && { provider: { name: provider.name, id: provider.id } }),
  };
  return { shown, rest: body.next === null ? null : part };
}

function shortenOrNull(text: string | null): string | null {
  return text === null ? null : shorten(text, fieldLengthMax);
}

/** Returns a member with at most `overviewCountMax` elements, and the number of further ones; none when it is empty. */
function listed(name: string, all: readonly unknown[]): Readonly<Record<string, unknown>> {
  if (all.length === 0) return {};
  const more = all.length - overviewCountMax;
  return { [name]: all.slice(0, overviewCountMax), ...(more > 0 && { [`more ${name}`]: more }) };
}

/** A part of a long text. */
interface TextPage {
  readonly text: string;
  /** Offset of the next part in UTF-16 units; null at the end. */
  readonly next: number | null;
}

/** Returns at most `lengthMax` UTF-16 units from an offset, without half of a surrogate pair. */
export function pageOf(text: string, offset: number, lengthMax: number): TextPage {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  const cut = Math.min(text.length, start + lengthMax);
  const end = isInsidePair(text, cut) ? cut - 1 : cut;
  return { text: text.slice(start, end), next: end < text.length ? end : null };
}

/** Returns the beginning of a text, with an ellipsis if more follows. */
export function shorten(text: string, lengthMax: number): string {
  const { text: shown, next } = pageOf(text, 0, lengthMax);
  return next === null ? shown : `${shown}…`;
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}

/** Returns a number of messages with its noun. */
export function countMessages(count: number): string {
  return count === 1 ? "1 message" : `${String(count)} messages`;
}

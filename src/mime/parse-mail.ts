import type { Contact, HeaderField } from "../core/message.ts";
import { parseAddressList } from "./address-list.ts";
import { decodeBytes } from "./body-content.ts";
import { sortLeaves, type BodyParts } from "./body-parts.ts";
import { isKnownCharset } from "./charset.ts";
import { contactCountMax } from "../core/limits.ts";
import { readMailDate } from "../core/mail-date.ts";
import type { Defect, Part, PartContent } from "./part.ts";
import { decodeEncodedWords } from "./encoded-word.ts";
import { fieldText, structuredText, type HeaderSection } from "./header-section.ts";
import { readPartTree } from "./part-tree.ts";
import { openSource, type MimeLimits, type Source } from "./source.ts";

/** Parsed mail. Content stays in raw until it is requested ({@link BodyParts}). */
export interface Mail extends BodyParts {
  readonly root: Part;
  /** All fields of the mail's own header section in order, including repeated ones, unfolded and decoded. */
  readonly headers: readonly HeaderField[];
  /** "" if there is none. */
  readonly subject: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  readonly replyTo: readonly Contact[];
  /** With its angle brackets, as written. */
  readonly messageId: string | null;
  /** Instant of the Date field, in milliseconds since the Unix epoch. */
  readonly headerDate: number | null;
  /** Message ids with their angle brackets, in order (RFC 5322 §3.6.4). */
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  readonly defects: readonly Defect[];
}

/** Lower-case field name → values in order, unfolded, encoded words still encoded. */
type FieldTexts = ReadonlyMap<string, readonly string[]>;

/** Fields that RFC 5322 §3.6 allows once. */
/** Fields that RFC 5322 §3.6 allows once, in lower case. */
export const singleFields: readonly string[] = [
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "message-id",
  "date",
  "subject",
];
/** Fields that are parsed here besides being listed. */
const structuredFields: ReadonlySet<string> = new Set([
  ...singleFields.filter((name) => name !== "subject"),
  "in-reply-to",
  "references",
]);

/**
 * Parses the structure and the header fields of a mail; content is decoded on demand. Never throws, takes time linear in the number of
 * bytes, and reports errors in `defects`. Content beyond the limits is not parsed and stays in raw.
 */
export function parseMail(raw: Uint8Array, limits: MimeLimits): Mail {
  const source = openSource(raw, limits);
  const { root, section } = readPartTree(source);
  const { headers, texts } = readFields(source, section);
  noteFieldDefects(source, texts);
  const bodies = sortLeaves(root);
  for (const part of bodies.htmlParts) part.charset ??= declaredHtmlCharset(source.raw, part);
  if ([...bodies.textParts, ...bodies.htmlParts].some(({ charset }) => !isKnownCharset(charset))) {
    source.defects.add("unknown_charset");
  }
  return {
    root,
    headers,
    subject: decodeEncodedWords(texts.get("subject")?.[0] ?? ""),
    from: fromOf(source, texts),
    to: contactsOf(source, texts, "to"),
    cc: contactsOf(source, texts, "cc"),
    bcc: contactsOf(source, texts, "bcc"),
    replyTo: contactsOf(source, texts, "reply-to"),
    messageId: decodeEncodedWords(texts.get("message-id")?.[0] ?? "") || null,
    headerDate: headerDateOf(source, texts),
    inReplyTo: messageIdsOf(texts, "in-reply-to"),
    references: messageIdsOf(texts, "references"),
    ...bodies,
    defects: [...source.defects],
  };
}

/** Decodes the fields of the mail's header section and collects their texts by name. */
function readFields(source: Source, section: HeaderSection): { headers: HeaderField[]; texts: FieldTexts } {
  const headers: HeaderField[] = [];
  const texts = new Map<string, string[]>();
  for (const field of section.fields) {
    const text = fieldText(source, field);
    headers.push({ field: field.name, value: decodeEncodedWords(text, source.defects) });
    const name = field.name.toLowerCase();
    const interpreted = structuredFields.has(name) ? structuredText(source, field, text) : text;
    const sameName = texts.get(name);
    if (sameName === undefined) texts.set(name, [interpreted]);
    else sameName.push(interpreted);
  }
  return { headers, texts };
}

function noteFieldDefects(source: Source, texts: FieldTexts): void {
  if (!texts.has("from")) source.defects.add("missing_from");
  if (!texts.has("date")) source.defects.add("missing_date");
  if (singleFields.some((name) => (texts.get(name)?.length ?? 0) > 1)) source.defects.add("repeated_header_field");
}

/** Returns the contacts of the first From field. */
function fromOf(source: Source, texts: FieldTexts): Contact[] {
  const [text] = texts.get("from") ?? [];
  if (text === undefined) return [];
  const contacts = parseAddressList(text);
  if (!contacts.some(({ email }) => /^[^@\s]+@[^@\s]+$/.test(email ?? ""))) source.defects.add("from_without_address");
  return contacts;
}

/** Returns the contacts of all fields of one name: senders repeat To although RFC 5322 forbids it. */
function contactsOf(source: Source, texts: FieldTexts, name: string): Contact[] {
  const contacts = (texts.get(name) ?? []).flatMap((text) => parseAddressList(text));
  if (contacts.length >= contactCountMax) source.defects.add("too_many_contacts");
  return contacts.slice(0, contactCountMax);
}

function headerDateOf(source: Source, texts: FieldTexts): number | null {
  const text = texts.get("date")?.[0];
  const instant = text === undefined ? null : (readMailDate(text)?.instant ?? null);
  if (text !== undefined && instant === null) source.defects.add("unreadable_date");
  return instant;
}

/**
 * Returns the ids of a field. Encoded words are decoded although RFC 2047 §5 forbids them, because mailers use them to
 * fold long ids.
 */
function messageIdsOf(texts: FieldTexts, name: string): string[] {
  return (texts.get(name) ?? []).flatMap((text) => decodeEncodedWords(text).match(/<[^<>\s]+>/g) ?? []);
}

/** Bytes at the start of a document in which it may declare its charset (HTML standard, §13.2.3.2). */
export const prescanBytes = 1024;
/** Bytes of raw that contain {@link prescanBytes} in every transfer encoding: quoted-printable takes three per byte. */
const encodedBytes = 3 * prescanBytes;

const comments = /<!--.*?(?:-->|$)/gs;
const metaCharset = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]{1,64})/i;

/**
 * Returns the charset that an HTML part declares in a `meta` element (HTML standard, §13.2.3.2), in lower case; null
 * without one. It is used if Content-Type has no charset. A declaration of UTF-16 means UTF-8, as in the standard.
 */
function declaredHtmlCharset(raw: Uint8Array, part: PartContent): string | null {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + encodedBytes);
  const start = decodeBytes(raw, { ...part, bodyEnd }).subarray(0, prescanBytes);
  const charset = metaCharset.exec(Buffer.from(start).toString("latin1").replaceAll(comments, ""))?.[1]?.toLowerCase();
  if (charset === undefined) return null;
  return charset.startsWith("utf-16") ? "utf-8" : charset;
}

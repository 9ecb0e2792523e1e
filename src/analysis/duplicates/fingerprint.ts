/** Content of a message without what differs between two renderings of it. */
import type { Message } from "../../core/message.ts";
import { joinTexts } from "../../mime/body-content.ts";
import { type Mail, parseMail } from "../../mime/parse-mail.ts";
import type { MimeLimits } from "../../mime/source.ts";
import { analyseHtml } from "../analyse-html.ts";
import { analysedText, analyseText } from "../analysed-text.ts";
import { type NormalisedText, normaliseText, normaliseUrl } from "./normalise-text.ts";

/** Values of a message that may differ between duplicates, each list in document order and bounded. */
export interface VolatileValues {
  readonly subject: string;
  readonly from: string | null;
  readonly messageId: string | null;
  /** ISO 8601; null without a valid Date field. */
  readonly date: string | null;
  readonly codes: readonly string[];
  readonly links: readonly string[];
  readonly attachments: readonly string[];
  /** Masked values of the visible text. */
  readonly values: readonly string[];
}

/** Content of a message, and its volatile values. */
export interface Fingerprint {
  /** Equal for messages that a person would call the same; as long as the message. */
  readonly content: string;
  readonly volatile: VolatileValues;
}

/** Bounds of {@link VolatileValues}: many of them are held at once. */
const valueLengthMax = 200;
const linkCountMax = 20;
const codeCountMax = 10;
const attachmentCountMax = 10;
const valueCountMax = 50;
/** UTF-16 code units of a body that are compared: longer ones are books or attacks. */
const comparedLengthMax = 262_144;

/** Returns the fingerprint of a mail. Never throws; linear in the bytes. */
export function fingerprintMail(raw: Uint8Array, limits: MimeLimits): Fingerprint {
  const mail = parseMail(raw, limits);
  const { codes, links, texts } = readBodies(raw, mail);
  const subject = normaliseText(mail.subject, codes);
  const bodies = texts.map((text) => (text === null ? null : normaliseText(text.slice(0, comparedLengthMax), codes)));
  const attachments = mail.attachments.map(({ fileName }) => fileName ?? "");
  const shapes = [bodies.map((body) => body?.text ?? null), links.map(normaliseUrl), attachments.map(nameOf)];
  return {
    content: JSON.stringify(["Email", subject.text, ...shapes]),
    volatile: bounded({ ...fieldsOf(mail), codes, links, attachments, values: shownValues(bodies) }),
  };
}

interface Bodies extends Pick<VolatileValues, "codes" | "links"> {
  /** Visible text of the HTML and plain text; null for a body that the mail does not have. */
  readonly texts: readonly (string | null)[];
}

function readBodies(raw: Uint8Array, { htmlParts, textParts }: Mail): Bodies {
  const [html, text] = [joinTexts(raw, htmlParts), joinTexts(raw, textParts)];
  const ofHtml = html === null ? null : analyseHtml(html);
  const ofText = text === null ? null : analyseText(text);
  const codes = [ofHtml, ofText].flatMap((found) => found?.codes ?? []).map(({ value }) => value);
  const links = (ofHtml?.links ?? ofText?.links ?? []).map(({ href }) => href.trim());
  return { codes: distinct(codes), links, texts: [ofHtml?.visibleText ?? null, text] };
}

/** Returns the fingerprint of an SMS. Never throws; linear in its text. */
export function fingerprintSms({ text, from }: Pick<Message, "text" | "from">): Fingerprint {
  const body = text.body ?? "";
  const { codes, links } = analyseText(body);
  const known = distinct(codes.map(({ value }) => value));
  const normalised = normaliseText(analysedText(body), known);
  const volatile = {
    subject: "",
    from: from[0]?.phone ?? null,
    messageId: null,
    date: null,
    codes: known,
    links: links.map(({ href }) => href),
    attachments: [],
    values: normalised.values,
  };
  return {
    content: JSON.stringify(["SMS", normalised.text]),
    volatile: bounded(volatile),
  };
}

function fieldsOf({
  subject,
  from,
  messageId,
  headerDate,
}: Mail): Pick<VolatileValues, "subject" | "from" | "messageId" | "date"> {
  return {
    subject,
    from: from[0]?.email ?? null,
    messageId: messageId?.trim() ?? null,
    date: headerDate === null ? null : new Date(headerDate).toISOString(),
  };
}

/** Returns the values of the body that readers see. */
function shownValues(bodies: readonly (NormalisedText | null)[]): readonly string[] {
  return bodies.find((body) => body !== null)?.values ?? [];
}

function nameOf(fileName: string): string {
  return normaliseText(fileName.replaceAll("_", " ")).text;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function bounded(values: VolatileValues): VolatileValues {
  return {
    subject: shorten(values.subject),
    from: values.from === null ? null : shorten(values.from),
    messageId: values.messageId === null ? null : shorten(values.messageId),
    date: values.date,
    codes: values.codes.slice(0, codeCountMax).map(shorten),
    links: values.links.slice(0, linkCountMax).map(shorten),
    attachments: values.attachments.slice(0, attachmentCountMax).map(shorten),
    values: values.values.slice(0, valueCountMax).map(shorten),
  };
}

function shorten(value: string): string {
  return value.slice(0, valueLengthMax).toWellFormed();
}

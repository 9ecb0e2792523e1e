import type { MessageId } from "../../core/ids.ts";
import type { Contact } from "../../core/message.ts";
import { decodeEncodedWords } from "../../mime/encoded-word.ts";
import { fieldText, readHeaderSection } from "../../mime/header-section.ts";
import { openSource, type MimeLimits } from "../../mime/source.ts";
import type { MessageStructure, StructurePart } from "../../mime/structure/structure.ts";
import type { StoredDetail } from "../../operations/services/reading/stored-detail.ts";
import type { JsonSegment } from "../responses.ts";
import { addressOf, recipientsOf } from "../received-message.ts";

/** Message with its mail. */
export interface WholeMessage {
  readonly id: MessageId;
  readonly detail: StoredDetail;
  readonly raw: Uint8Array;
  readonly structure: MessageStructure;
  readonly limits: MimeLimits;
}

/** Yields the JSON of a message, without its bodies. */
export function* messageSegments(whole: WholeMessage): Generator<JsonSegment, void> {
  const { id, detail, structure } = whole;
  const { message, session } = detail;
  const recipients = recipientsOf(message);
  const named = new Set([...message.to, ...message.cc].map(({ email }) => email?.toLowerCase()));
  const fields = {
    sessionEncoding: null,
    eightBitTransport: null,
    hasHtmlBody: detail.htmlParts.length > 0 || typeof message.html?.body === "string",
    hasPlainTextBody: detail.textParts.length > 0 || typeof message.text?.body === "string",
    id,
    from: message.from.map(written).join(", "),
    to: message.to.map(written),
    cc: message.cc.map(written),
    bcc: recipients.filter((address) => !named.has(address.toLowerCase())),
    deliveredTo: recipients,
    receivedDate: message.received,
    secureConnection: typeof session?.tls === "string",
    subject: message.subject,
    headers: message.metadata.headers.map(({ field, value }) => ({ name: field, value })),
    mimeParseError: null,
    relayError: null,
    warnings: message.defects.map((details) => ({ details })),
  };
  yield `${JSON.stringify(fields).slice(0, -1)},"parts":[`;
  yield* partSegments(whole, numberParts(structure));
  yield "]}";
}

/** Yields the JSON of a part; its header fields are read when their turn comes, so that those of one part are in memory. */
function* partSegments(whole: WholeMessage, numbered: NumberedPart): Generator<JsonSegment, void> {
  const { id } = whole;
  const { number, part, fileName, contentId, isAttachment, children } = numbered;
  const fields = {
    id: String(number),
    headers: headersOf(whole, numbered),
    name: `${fileName ?? contentId ?? number} - ${part.type}/${part.subtype}`,
    messageId: id,
    contentId,
    attachments: children
      .filter((child) => child.isAttachment)
      .map((child) => ({
        fileName: child.fileName,
        contentId: child.contentId,
        id: String(child.number),
        url: `api/messages/${id}/part/${child.number}/content?download=true`,
      })),
    warnings: [],
    size: part.body.end - part.header.start,
    isAttachment,
  };
  yield `${JSON.stringify(fields).slice(0, -1)},"childParts":[`;
  for (const [index, child] of children.entries()) {
    if (index > 0) yield ",";
    yield* partSegments(whole, child);
  }
  yield "]}";
}

/** Returns the header fields of a part; of the root of a mail those that describe its content. */
function headersOf(
  { raw, limits }: WholeMessage,
  { part, isRoot }: NumberedPart,
): readonly Readonly<Record<string, string>>[] {
  const source = openSource(raw.subarray(part.header.start, part.header.end), limits);
  const { fields } = readHeaderSection(source, 0, () => false);
  return fields
    .filter(({ name }) => !isRoot || /^content-/i.test(name))
    .map((field) => ({ name: field.name, value: decodeEncodedWords(fieldText(source, field)) }));
}

/** Returns an address as a header field has it, with its name in quotation marks. */
function written(contact: Contact): string {
  const [address, { name }] = [addressOf(contact), contact];
  return name === "" ? address : `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Part of a mail under the number that smtp4dev gives it, in the order of the mail. */
export interface NumberedPart {
  readonly number: number;
  readonly part: StructurePart;
  /** Whether the header section of the part is that of a mail. */
  readonly isRoot: boolean;
  readonly fileName: string | null;
  readonly contentId: string | null;
  readonly isAttachment: boolean;
  readonly children: readonly NumberedPart[];
}

/** Returns the root of a mail with the parts in it, also those of mails in it. */
export function numberParts({ root }: MessageStructure): NumberedPart {
  let count = 0;
  const visit = (part: StructurePart, isRoot: boolean): NumberedPart => {
    const number = count;
    count += 1;
    const { parameters, disposition, message } = part;
    const fileName = disposition?.parameters.get("filename") || parameters.get("name") || null;
    const children = part.children.map((child) => visit(child, false));
    return {
      number,
      part,
      isRoot,
      fileName,
      contentId: part.id?.trim().replace(/^</, "").replace(/>$/, "") ?? null,
      isAttachment: disposition?.type === "attachment" || (disposition?.type !== "inline" && fileName !== null),
      children: message === null ? children : [...children, visit(message.root, true)],
    };
  };
  return visit(root, true);
}

/** Yields a part and all parts in it, in the order of their numbers. */
export function* allParts(part: NumberedPart): Generator<NumberedPart, void> {
  yield part;
  for (const child of part.children) yield* allParts(child);
}

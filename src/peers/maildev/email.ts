/** E-mails as MailDev describes them. Versions 1 and 2 differ from version 3 in some members. */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { decodeMessageId } from "../../core/ids.ts";
import type { Attachment, Contact, HeaderField, Message } from "../../core/message.ts";
import { parseHeaderDate } from "../../mime/header-date.ts";

/** Version of the API: 2 stands for 1 and 2, whose paths have no prefix. */
export type Version = 2 | 3;

/** E-mail address. */
export interface EmailAddress {
  readonly address: string;
  readonly name: string;
}

/** Facts about a message that its detail does not have. */
export interface EmailState {
  readonly sizeBytes: number;
  readonly isRead: boolean;
}

/** E-mail without its bodies. */
export type Email = Readonly<Record<string, unknown>>;

const units = ["bytes", "KB", "MB", "GB"];

/** Returns an e-mail without its bodies. */
export function toEmail(message: Message, { sizeBytes, isRead }: EmailState, version: Version): Email {
  const { headers } = message.metadata;
  const { receivedAt } = decodeMessageId(message.id);
  const date = parseHeaderDate(fieldOf(headers, "date"));
  const time = new Date(version === 2 ? (date ?? receivedAt) : receivedAt).toISOString();
  const attachments = message.attachments.map((attachment) => toAttachment(attachment, version));
  return {
    id: message.id,
    time,
    read: isRead,
    subject: message.subject,
    source: "",
    size: sizeBytes,
    sizeHuman: formatBytes(sizeBytes),
    from: message.from.map(toAddress),
    to: message.to.map(toAddress),
    cc: optional(message.cc.map(toAddress)),
    bcc: optional(bccOf(message)),
    calculatedBcc: calculateBcc(message),
    date: date === null ? undefined : new Date(date).toISOString(),
    headers: headersOf(headers),
    messageId: without(fieldOf(headers, "message-id")),
    inReplyTo: replyOf(headers, version),
    references: optional(idsOf(fieldOf(headers, "references"))),
    priority: priorityOf(headers),
    attachments: version === 2 && attachments.length === 0 ? null : attachments,
    envelope: envelopeOf(message),
  };
}

/** Returns the name under which an attachment can be downloaded. */
export function generatedFileName({ id, fileName }: Pick<Attachment, "id" | "fileName">): string {
  return createHash("md5").update(id).digest("hex") + extname(fileName).replaceAll(/[^\w.]/g, "");
}

function toAttachment(attachment: Attachment, version: Version): Email {
  const { contentType, fileName, contentId, length } = attachment;
  const named = version === 2 ? { fileName, length } : { filename: fileName, size: length };
  return {
    contentType,
    ...named,
    generatedFileName: generatedFileName(attachment),
    contentDisposition: contentId === null ? "attachment" : "inline",
    contentId: contentId ?? undefined,
    transferred: true,
  };
}

function toAddress({ name, email, phone }: Contact): EmailAddress {
  return { address: email ?? phone ?? "", name };
}

/** Returns the contacts of the Bcc field; those of the message are the ones of the envelope. */
function bccOf({ bcc, metadata }: Message): readonly EmailAddress[] {
  return metadata.headers.some(({ field }) => field.toLowerCase() === "bcc") ? bcc.map(toAddress) : [];
}

/** Returns the recipients of the envelope that are in neither of the fields. */
function calculateBcc({ to, cc, metadata }: Message): readonly EmailAddress[] {
  const named = new Set([...to, ...cc].map(({ email }) => email?.toLowerCase()));
  return metadata.rcptTo.filter(({ email }) => !named.has(email?.toLowerCase())).map(toAddress);
}

function envelopeOf({ from, to, metadata }: Message): Email {
  const [sender] = from;
  const address = metadata.mailFrom ?? sender?.email ?? sender?.phone ?? "";
  const recipients = metadata.rcptTo.length > 0 ? metadata.rcptTo : to;
  return {
    from: { address, args: false },
    to: recipients.map((one) => ({ address: toAddress(one).address, args: false })),
    host: metadata.ehlo ?? "",
    remoteAddress: "",
  };
}

/** Returns the header fields by lower-case names; repeated ones as lists. */
function headersOf(headers: readonly HeaderField[]): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const { field, value } of headers) {
    const name = field.toLowerCase();
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

function replyOf(headers: readonly HeaderField[], version: Version): string | readonly string[] | undefined {
  const ids = idsOf(fieldOf(headers, "in-reply-to"));
  return version === 2 ? optional(ids) : ids[0];
}

function priorityOf(headers: readonly HeaderField[]): "high" | "normal" | "low" {
  const value = `${fieldOf(headers, "x-priority")} ${fieldOf(headers, "importance")}`.toLowerCase();
  if (/\b[12]\b|high/.test(value)) return "high";
  return /\b[45]\b|low/.test(value) ? "low" : "normal";
}

function idsOf(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((id) => without(id) ?? []);
}

/** Returns a Message-ID without angle brackets; undefined for none. */
function without(id: string): string | undefined {
  return id.replaceAll(/^[<\s]+|[>\s]+$/g, "") || undefined;
}

function optional<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function fieldOf(headers: readonly HeaderField[], name: string): string {
  return headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}

function formatBytes(bytes: number): string {
  if (bytes === 0) return "0 bytes";
  const power = Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${Number((bytes / 1024 ** power).toFixed(2))} ${units[power]}`;
}

/** E-mails as MailDev describes them. Versions 1 and 2 differ from version 3 in some members. */
import { trimEnd } from "../../core/trim.ts";
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { decodeMessageId } from "../../core/ids.ts";
import type { Attachment, Contact, HeaderField, Message } from "../../core/message.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import { readMailDate } from "../../core/mail-date.ts";
import { addressOf, fieldOf, senderOf } from "../received-message.ts";
import { headersOf, priorityOf, receivedDateOf } from "./headers.ts";

/** Version of the API: 2 stands for 1 and 2, whose paths have no prefix. */
export type Version = 2 | 3;

/** E-mail address. */
interface EmailAddress {
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

const units = { 2: ["bytes", "KB", "MB", "GB"], 3: ["Bytes", "KB", "MB", "GB"] } as const;

/** Returns an e-mail without its bodies. */
export function toEmail(message: Message, { sizeBytes, isRead }: EmailState, version: Version): Email {
  const { headers } = message.metadata;
  const date = readMailDate(fieldOf(headers, "date"))?.instant;
  return {
    id: message.id,
    time: new Date(date ?? decodeMessageId(message.id).receivedAt).toISOString(),
    read: isRead,
    subject: version === 2 && fieldOf(headers, "subject") === "" ? undefined : message.subject,
    source: "",
    size: sizeBytes,
    sizeHuman: formatBytes(sizeBytes, version),
    from: version === 2 ? optional(message.from.map(toAddress)) : message.from.map(toAddress),
    to: version === 2 ? optional(message.to.map(toAddress)) : message.to.map(toAddress),
    cc: optional(message.cc.map(toAddress)),
    calculatedBcc: calculateBcc(message),
    headers: headersOf(headers, version),
    attachments: attachmentsOf(message, version),
    envelope: envelopeOf(message, version),
    ...(version === 2
      ? { date: date === undefined ? undefined : new Date(date).toISOString(), ...membersOfVersion2(headers) }
      : { inReplyTo: fieldOf(headers, "in-reply-to").trim() || undefined }),
  };
}

/** Returns the members that version 3 has not. */
function membersOfVersion2(headers: readonly HeaderField[]): Email {
  return {
    bcc: optional(parseAddressList(fieldOf(headers, "bcc")).map(toAddress)),
    replyTo: optional(parseAddressList(fieldOf(headers, "reply-to")).map(toAddress)),
    receivedDate: receivedDateOf(headers),
    messageId: without(fieldOf(headers, "message-id")),
    inReplyTo: optional(idsOf(fieldOf(headers, "in-reply-to"))),
    references: optional(idsOf(fieldOf(headers, "references"))),
    priority: priorityOf(headers),
  };
}

/** Returns the name under which an attachment can be downloaded. */
export function generatedFileName({ id, fileName }: Pick<Attachment, "id" | "fileName">): string {
  return createHash("md5").update(id).digest("hex") + extname(fileName).replaceAll(/[^\w.]/g, "");
}

function attachmentsOf({ attachments }: Message, version: Version): readonly Email[] | null {
  if (version === 2 && attachments.length === 0) return null;
  return attachments.map((attachment) => {
    const { id, contentType, fileName, contentId, length } = attachment;
    const generated = generatedFileName(attachment);
    const contentDisposition = contentId === null ? "attachment" : "inline";
    if (version === 3) {
      const named = { filename: fileName, generatedFileName: generated, contentType, contentDisposition };
      return { ...named, contentId: contentId ?? undefined, size: length };
    }
    const ownId = contentId ?? `${createHash("md5").update(`${id} content`).digest("hex")}@mailparser`;
    const named = { contentType, fileName, length, generatedFileName: generated, contentDisposition };
    return { ...named, contentId: ownId, transformed: true };
  });
}

function toAddress(contact: Contact): EmailAddress {
  return { address: addressOf(contact), name: contact.name };
}

/** Returns the recipients of the envelope that are in neither of the fields. */
function calculateBcc({ to, cc, metadata }: Message): readonly EmailAddress[] {
  const named = new Set([...to, ...cc].map(({ email }) => email?.toLowerCase()));
  return metadata.rcptTo.filter(({ email }) => !named.has(email?.toLowerCase())).map(toAddress);
}

function envelopeOf(message: Message, version: Version): Email {
  const { to, metadata } = message;
  const recipients = metadata.rcptTo.length > 0 ? metadata.rcptTo : to;
  const path = (address: string): Email => (version === 3 ? { address } : { address, args: false });
  const paths = { from: path(senderOf(message)), to: recipients.map((one) => path(addressOf(one))) };
  return version === 3 ? paths : { ...paths, host: metadata.ehlo ?? "", remoteAddress: "" };
}

function idsOf(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((id) => without(id) ?? []);
}

/** Returns a Message-ID without angle brackets; undefined for none. */
function without(id: string): string | undefined {
  return trimEnd(id.replace(/^[<\s]+/, ""), "> \t\r\n") || undefined;
}

function optional<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function formatBytes(bytes: number, version: Version): string {
  const [smallest] = units[version];
  if (bytes === 0) return `0 ${smallest}`;
  const power = Math.min(units[version].length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${Number((bytes / 1024 ** power).toFixed(2))} ${units[version][power] ?? smallest}`;
}

/** E-mails as MailDev describes them. Versions 1 and 2 differ from version 3 in some members. */
import { trimEnd } from "../../core/trim.ts";
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Attachment, Contact, HeaderField, Message } from "../../core/message.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import { readMailDate } from "../../core/mail-date.ts";
import { addressOf, fieldOf, senderOf } from "../received-message.ts";
import { type OpenedMessage, openMessages } from "../../operations/services/reading/get-message.ts";
import { measureMails } from "../../operations/mailboxes/open-mail.ts";
import { bodyOf, type JsonSegment } from "../responses.ts";
import { readMarks } from "../change-mailbox.ts";
import type { CatcherCall } from "../catcher.ts";

/** Version of the API: 2 stands for 1 and 2, whose paths have no prefix. */
export type Version = 2 | 3;

/** E-mail address. */
interface EmailAddress {
  readonly address: string;
  readonly name: string;
}

/** Facts about a message that its detail does not have. */
interface EmailState {
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

/** Priority of an e-mail. */
type Priority = "high" | "normal" | "low";

/** Fields that tell the priority. */
const priorityFields: ReadonlySet<string> = new Set(["x-priority", "x-msmail-priority", "importance"]);

/** Fields that the parser of version 3 turns into objects, which MailDev leaves out. */
const structuredFields: ReadonlySet<string> = new Set([
  "from",
  "to",
  "cc",
  "bcc",
  "sender",
  "reply-to",
  "delivered-to",
  "return-path",
  "disposition-notification-to",
  "date",
  "content-type",
  "content-disposition",
  "dkim-signature",
]);

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Returns the header fields by lower-case names; repeated ones as lists. */
export function headersOf(headers: readonly HeaderField[], version: Version): Headers {
  const fields = new Map<string, string[]>();
  for (const { field, value } of headers) {
    const name = field.toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...fields].flatMap(([name, values]) => {
      const value = values.length === 1 ? (values[0] ?? "") : values;
      if (priorityFields.has(name)) return [[version === 2 ? name : "priority", priorityOf(headers)] as const];
      if (version === 2) return [[name, value] as const];
      if (structuredFields.has(name) || name.startsWith("list-")) return [];
      if (name !== "references") return [[name, value] as const];
      const ids = values.join(" ").split(/\s+/).filter(Boolean);
      return [[name, ids.length === 1 ? (ids[0] ?? "") : ids] as const];
    }),
  );
}

/** Returns the priority that the fields tell; normal without them. */
function priorityOf(headers: readonly HeaderField[]): Priority {
  const value = `${fieldOf(headers, "x-priority")} ${fieldOf(headers, "importance")}`.toLowerCase();
  if (/\b[12]\b|high/.test(value)) return "high";
  return /\b[45]\b|low/.test(value) ? "low" : "normal";
}

/** Returns the instant of the last Received field, in ISO 8601; undefined for none. */
function receivedDateOf(headers: readonly HeaderField[]): string | undefined {
  const date = readMailDate(fieldOf(headers, "received").split(";").at(-1) ?? "");
  return date === null ? undefined : new Date(date.instant).toISOString();
}

/**
 * Returns whether the value at each path equals its text; a path is dotted, and goes into the elements of lists. Names are
 * compared without letter case, since parameters have none.
 */
export function meetsFilter(email: unknown, filter: ReadonlyMap<string, string>): boolean {
  for (const [path, wanted] of filter) {
    if (!valuesAt(email, path.split(".")).some((value) => String(value) === wanted)) return false;
  }
  return true;
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) {
    const [name = ""] = path;
    const indexed = /^\d{1,6}$/.test(name) ? valuesAt(value[Number(name)], path.slice(1)) : [];
    return [...indexed, ...value.flatMap((one) => valuesAt(one, path))];
  }
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  const member = Object.entries(value).find(([one]) => one.toLowerCase() === name.toLowerCase());
  return member === undefined ? [] : valuesAt(member[1], rest);
}

/** Messages whose sizes and marks are read together. */
const batchCountMax = 50;

/** E-mail with its bodies. */
interface OpenedEmail {
  readonly email: Email;
  readonly opened: OpenedMessage;
}

/** Yields the e-mails of messages one at a time. Skips messages that were deleted meanwhile. */
export async function* readEmails(
  call: CatcherCall,
  ids: readonly MessageId[],
  version: Version,
): AsyncGenerator<OpenedEmail, void> {
  const { context, principal, server } = call;
  // The response has started, so it is finished late rather than cut off.
  const room = { reserve: async (bytes: number): Promise<void> => call.room.reserve(bytes, true) };
  for (let from = 0; from < ids.length; from += batchCountMax) {
    const batch = ids.slice(from, from + batchCountMax);
    const sizes = await measureMails(context, server, batch);
    const sizeOf = new Map(batch.map((id, index) => [id, sizes[index] ?? 0]));
    const marked = await readMarks(call, batch);
    const seen = new Set(marked.filter(({ marks }) => marks.flags.includes("seen")).map(({ id }) => id));
    for await (const opened of openMessages({ ...context, room, gone: call.signal() }, principal, batch)) {
      const { id } = opened.message;
      const state = { sizeBytes: sizeOf.get(id) ?? 0, isRead: seen.has(id) };
      yield { email: toEmail(opened.message, state, version), opened };
    }
  }
}

/** Yields the JSON of an e-mail. */
export function* emailSegments({ email, opened }: OpenedEmail): Generator<JsonSegment, void> {
  yield JSON.stringify(email).slice(0, -1);
  for (const name of ["html", "text"] as const) {
    const body = bodyOf(opened, name);
    if (body === null || body.byteLength === 0) continue;
    yield `,"${name}":"`;
    yield body;
    yield '"';
  }
  yield "}";
}

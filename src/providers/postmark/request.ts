/** Messages of `/email` and its siblings: https://postmarkapp.com/developer/api/email-api */
import { isUtf8 } from "node:buffer";
import { Problem } from "../../core/errors.ts";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { Members } from "../kit/members.ts";
import type { Rejection } from "../kit/rejection.ts";
import type { ProviderRequest } from "../provider.ts";
import { invalidField, rejection, texts } from "./errors.ts";

/** Message without its subject and bodies, which a template may have. */
export interface PostmarkMessage extends Omit<EmailDraft, "subject" | "text" | "html"> {
  readonly tag: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly stream: string;
  /** Lists as the request has them, which the response repeats; null for absent ones. */
  readonly echo: { readonly To: string | null; readonly Cc: string | null; readonly Bcc: string | null };
}

/** Subject and bodies of a message. */
export type PostmarkContent = Pick<EmailDraft, "subject" | "text" | "html">;

/** Recipients of a message: to, cc and bcc. */
export const recipientCountMax = 50;
/** Bytes of bodies and attachments. */
const messageBytesMax = 10 * 1024 * 1024;
const fromLengthMax = 255;
const subjectLengthMax = 2000;
const tagLengthMax = 1000;
const metadataCountMax = 10;
const metadataNameLengthMax = 20;
const metadataValueLengthMax = 80;
const linkTracking: readonly string[] = ["None", "HtmlAndText", "HtmlOnly", "TextOnly"];

/** Stream of messages that name none. */
export const defaultStream = "outbound";

/** Reads a message; throws a rejection. */
export function readMessage(fields: Fields): PostmarkMessage {
  checkTypes(fields);
  const stream = readStream(fields);
  const from = readFrom(fields);
  const echo = { To: fields.text("To"), Cc: fields.text("Cc"), Bcc: fields.text("Bcc") };
  const to = readList("To", echo.To);
  if (to.length === 0) throw invalidAddress("To", echo.To ?? "");
  const [cc, bcc] = [readList("Cc", echo.Cc), readList("Bcc", echo.Bcc)];
  if (to.length + cc.length + bcc.length > recipientCountMax) {
    throw rejection(300, texts.tooManyRecipients);
  }
  const replyTo = readList("ReplyTo", fields.text("ReplyTo"));
  const tag = fields.text("Tag");
  checkLength("Tag", tag, tagLengthMax);
  const [headers, metadata] = [readHeaders(fields), readMetadata(fields)];
  const attachments = fields.objects("Attachments").map(readAttachment);
  return { from, to, cc, bcc, replyTo, headers, attachments, tag, metadata, stream, echo };
}

/** Reads the subject and the bodies of a message without a template. */
export function readContent(fields: Fields): PostmarkContent {
  const [text, html] = [fields.text("TextBody"), fields.text("HtmlBody")];
  const subject = fields.text("Subject") ?? "";
  if (text === null && html === null) throw rejection(300, texts.noBody);
  checkLength("Subject", subject, subjectLengthMax);
  return { subject, text, html };
}

/** Throws a rejection with status 413 when bodies and attachments exceed 10 MB. */
export function checkSize({ attachments }: PostmarkMessage, { text, html }: PostmarkContent): void {
  const files = attachments.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (files + Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "") > messageBytesMax) {
    throw rejection(300, texts.tooLarge, 413);
  }
}

function checkTypes(fields: Fields): void {
  for (const name of ["From", "To", "Cc", "Bcc", "ReplyTo", "Subject", "TextBody", "HtmlBody", "Tag"]) {
    fields.text(name);
  }
  fields.flag("TrackOpens");
  const links = fields.text("TrackLinks");
  if (links !== null && !linkTracking.includes(links)) throw invalidField("TrackLinks");
}

function readStream(fields: Fields): string {
  const stream = fields.text("MessageStream") ?? defaultStream;
  if (!/^[a-z0-9][\w-]{0,29}$/i.test(stream)) {
    throw rejection(1235, `The stream provided: '${stream}' does not exist on this server.`);
  }
  if (stream === "inbound") {
    throw rejection(1236, `Sending is not supported on the stream provided: '${stream}'.`);
  }
  return stream;
}

function readFrom(fields: Fields): DraftMailbox {
  const given = fields.text("From") ?? "";
  const from = given.length > fromLengthMax ? undefined : parseMailbox(given);
  if (from === undefined) throw invalidAddress("From", given);
  return from;
}

function readList(name: string, given: string | null): readonly DraftMailbox[] {
  const mailboxes = given === null ? [] : parseMailboxes(given);
  if (mailboxes === undefined) throw invalidAddress(name, given ?? "");
  return mailboxes;
}

const quotedLengthMax = 200;

function invalidAddress(name: string, given: string): Rejection {
  return rejection(300, `Invalid '${name}' address: '${given.slice(0, quotedLengthMax)}'.`);
}

function checkLength(name: string, text: string | null, lengthMax: number): void {
  if (text !== null && text.length > lengthMax) {
    throw rejection(300, `${name} must be less than or equal to ${lengthMax} characters.`);
  }
}

function readHeaders(fields: Fields): PostmarkMessage["headers"] {
  return fields.objects("Headers").map((header) => {
    const [name, value] = [header.text("Name"), header.text("Value")];
    if (name === null || !isHeaderName(name)) throw invalidField("Headers");
    return [name, value ?? ""];
  });
}

function readMetadata(fields: Fields): Readonly<Record<string, string>> {
  const entries = Object.entries(fields.object("Metadata") ?? {});
  if (!entries.every(([, value]) => typeof value === "string")) throw invalidField("Metadata");
  if (entries.length > metadataCountMax) {
    throw rejection(300, `Metadata may have at most ${metadataCountMax} fields.`);
  }
  for (const [name, value] of entries) {
    checkLength("The name of a metadata field", name, metadataNameLengthMax);
    checkLength("The value of a metadata field", String(value), metadataValueLengthMax);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Extensions of files that the API rejects: https://postmarkapp.com/developer/user-guide/send-email-with-api */
const forbiddenExtensions: ReadonlySet<string> = new Set(
  (
    "vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc " +
    "msi msp mst"
  ).split(" "),
);

/** Reads one of `Attachments`; throws rejections with code 403 and 411. */
function readAttachment(fields: Members): DraftAttachment {
  const fileName = fields.text("Name");
  const content = decodeStrictBase64((fields.text("Content") ?? "").replaceAll(/\s/g, ""));
  if (fileName === null || content === null) throw invalidField("Attachments");
  const extension = /\.([^.]*)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  if (forbiddenExtensions.has(extension)) throw rejection(411, texts.attachmentType);
  const contentId = fields.text("ContentID")?.replace(/^cid:/i, "") ?? null;
  return {
    fileName,
    contentType: fields.text("ContentType") ?? "application/octet-stream",
    content,
    contentId,
    isInline: contentId !== null,
  };
}

/** Returns whether a token is the one with which messages are checked and not stored. */
export function isTestToken(token: string | null): boolean {
  return token?.toUpperCase() === "POSTMARK_API_TEST";
}

const rules = { wrongType: invalidField, isEmptyAbsent: true, ignoresCase: true } as const;

/**
 * Members of a JSON object by name, regardless of letter case; null and "" are absent. Methods throw a rejection
 * with code 403 for members of another type.
 */
export class Fields extends Members {
  constructor(object: JsonObject) {
    super(object, rules);
  }

  /** Returns an object; null for an absent one. An empty array is an empty object, as PHP writes it. */
  override object(name: string): JsonObject | null {
    const value = this.value(name);
    return Array.isArray(value) && value.length === 0 ? {} : super.object(name);
  }
}

/** Reads a JSON body; throws a rejection with code 402, or the problem of another media type. */
export function readBody({ body, headers }: ProviderRequest): unknown {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!["application/json", "text/json", "text/x-json"].includes(type)) throw new Problem("unsupported_media_type");
  const value = isUtf8(body) ? readJson(body) : undefined;
  if (value === undefined) throw rejection(402, texts.invalidJson);
  return value;
}

/** Reads a JSON body that is an object. */
export function readFields(request: ProviderRequest): Fields {
  const value = readBody(request);
  if (!isJsonObject(value)) throw rejection(403, "The request body must be a JSON object.");
  return new Fields(value);
}

/** Requests: message resources, and mails in MIME. */
import { markTagCountMax } from "../../core/limits.ts";
import { readTag } from "../../core/marks.ts";
import type { Contact } from "../../core/message.ts";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { isJsonObject, readJsonObject } from "../formats/json-body.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import type { ProviderRequest } from "../provider.ts";
import { rejection } from "./errors.ts";
import { folderTagPrefix } from "./folder-tags.ts";

/** Bodies of a message; null for absent ones. A request sets one of them. */
export type ItemBody = Pick<EmailDraft, "text" | "html">;

/** Importance of a mail. */
export type Importance = "low" | "normal" | "high";

/** Properties of a message that a request may set; JSON. */
export interface MessageFields {
  readonly subject: string;
  readonly body: ItemBody;
  /** Null for the user of the mailbox. */
  readonly from: DraftMailbox | null;
  readonly replyTo: readonly DraftMailbox[];
  readonly to: readonly DraftMailbox[];
  readonly cc: readonly DraftMailbox[];
  readonly bcc: readonly DraftMailbox[];
  readonly categories: readonly string[];
  readonly importance: Importance;
  readonly isRead: boolean;
  readonly isFlagged: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Milliseconds since the Unix epoch; null: at once. */
  readonly sendAt: number | null;
}

/** Message without properties. */
export const emptyFields: MessageFields = {
  subject: "",
  body: { text: "", html: null },
  from: null,
  replyTo: [],
  to: [],
  cc: [],
  bcc: [],
  categories: [],
  importance: "normal",
  isRead: true,
  isFlagged: false,
  headers: [],
  sendAt: null,
};

/** Largest request that is not a range of an upload. */
const requestBytesMax = 4 * 1024 * 1024;
const recipientCountMax = 500;
const headerCountMax = 5;

const rules: MemberRules = {
  ignoresCase: true,
  wrongType: (name) => rejection("BadRequest", `Property ${name} in payload has a value that does not match schema.`),
};

/** Returns the members of a JSON object. */
export function membersOf(value: unknown): Members {
  if (!isJsonObject(value)) throw rejection("BadRequest");
  return new Members(value, rules);
}

/** Returns the members of a request's body; none for an empty one. */
export function readMembers({ body }: Pick<ProviderRequest, "body">): Members {
  if (body.byteLength > requestBytesMax) throw rejection("ErrorMessageSizeExceeded");
  return membersOf(body.byteLength === 0 ? {} : readJsonObject(body));
}

/** Returns the members of a member that is an object; undefined without one. */
export function objectOf(members: Members, name: string): Members | undefined {
  const value = members.object(name);
  return value === null ? undefined : membersOf(value);
}

/** Readers of the properties; null for an absent one. */
const readers: { readonly [Name in keyof MessageFields]: (message: Members) => MessageFields[Name] | null } = {
  subject: (message) => message.text("subject")?.replaceAll(lineEnds, " ") ?? null,
  body: readBody,
  from: (message) => {
    const from = objectOf(message, "from") ?? objectOf(message, "sender");
    return from === undefined ? null : readMailbox(from, "from");
  },
  replyTo: mailboxesAt("replyTo"),
  to: mailboxesAt("toRecipients"),
  cc: mailboxesAt("ccRecipients"),
  bcc: mailboxesAt("bccRecipients"),
  categories: readCategories,
  importance: (message) => message.checked("importance", isImportance),
  isRead: (message) => message.flag("isRead"),
  isFlagged: (message) => {
    const status = objectOf(message, "flag")?.text("flagStatus") ?? null;
    return status === null ? null : status === "flagged";
  },
  headers: readHeaders,
  sendAt: readDeferredSend,
};

/** Returns those of the properties that a message resource has. */
export function givenFields<Name extends keyof MessageFields>(
  message: Members,
  names: readonly Name[],
): Partial<Pick<MessageFields, Name>> {
  const given = names.map((name) => [name, readers[name](message)] as const).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Partial<Pick<MessageFields, Name>>;
}

/** Returns the properties of a message resource; absent ones are those of `present`. */
export function readFields(message: Members, present: MessageFields): MessageFields {
  const given = givenFields(message, Object.keys(readers) as (keyof MessageFields)[]);
  const fields = { ...present, ...given, headers: [...present.headers, ...(given.headers ?? [])] };
  if (fields.to.length + fields.cc.length + fields.bcc.length > recipientCountMax) {
    throw invalidRecipients(`More than ${recipientCountMax} recipients.`);
  }
  return fields;
}

function invalidRecipients(reason: string): Error {
  return rejection("ErrorInvalidRecipients", `At least one recipient isn't valid., ${reason}`);
}

function mailboxesAt(name: string): (message: Members) => readonly DraftMailbox[] | null {
  return (message) =>
    message.value(name) === null ? null : message.objects(name).map((one) => readMailbox(one, name));
}

/** Returns the categories of a message, which are tags here; throws for one that is no tag. */
function readCategories(message: Members): readonly string[] | null {
  if (message.value("categories") === null) return null;
  const tags = message.list("categories").map((one) => (typeof one === "string" ? readTag(one) : undefined));
  const valid = tags.filter((tag) => tag !== undefined && !tag.startsWith(folderTagPrefix));
  if (valid.length < tags.length || tags.length > markTagCountMax) {
    throw rejection("ErrorInvalidProperty", "A category is invalid, or there are too many.");
  }
  return valid as readonly string[];
}

/** Would begin another header field. */
const lineEnds = /[\r\n]+/g;

function isImportance(value: unknown): value is Importance {
  return value === "low" || value === "normal" || value === "high";
}

function readBody(message: Members): ItemBody | null {
  const body = objectOf(message, "body");
  if (body === undefined) return null;
  const content = body.text("content") ?? "";
  const isHtml = body.text("contentType")?.toLowerCase() === "html";
  return isHtml ? { text: null, html: content } : { text: content, html: null };
}

function readMailbox(recipient: Members, field: string): DraftMailbox {
  const address = objectOf(recipient, "emailAddress");
  const text = address?.text("address")?.trim() ?? "";
  if (isEmailAddress(text)) return { name: (address?.text("name") ?? "").replaceAll(lineEnds, " "), address: text };
  const shown = text.slice(0, 100);
  if (field === "from") throw rejection("ErrorInvalidProperty", `The address '${shown}' is invalid.`);
  const reason = "All recipients must be resolved before a message can be submitted.";
  throw invalidRecipients(`Recipient '${shown}' isn't resolved. ${reason}`);
}

function readHeaders(message: Members): MessageFields["headers"] {
  const given = message.objects("internetMessageHeaders");
  if (given.length > headerCountMax) {
    throw rejection("ErrorInvalidProperty", `At most ${headerCountMax} internet message headers are allowed.`);
  }
  return given.map((one) => {
    const [name, value] = [one.text("name") ?? "", one.text("value") ?? ""];
    if (/^x-/i.test(name) && isHeaderName(name)) return [name, value.replaceAll(lineEnds, " ")] as const;
    const text = `The internet message header name '${name.slice(0, 100)}' should start with 'x-' or 'X-'.`;
    throw rejection("InvalidInternetMessageHeader", text);
  });
}

/** Extended property by which a mail is sent later (PidTagDeferredSendTime). */
const deferredSend = /^SystemTime 0x3FEF$/i;

function readDeferredSend(message: Members): number | null {
  const properties = message.objects("singleValueExtendedProperties");
  const property = properties.find((one) => deferredSend.test(one.text("id") ?? ""));
  if (property === undefined) return null;
  const at = readIsoInstant(property.text("value") ?? "");
  if (at === undefined) throw rejection("ErrorInvalidProperty", "The deferred send time is no instant.");
  return at;
}

/** Returns the file of an attachment resource; throws for an attachment that is no file. */
export function readAttachment(attachment: Members): DraftAttachment {
  const type = attachment.text("@odata.type") ?? "#microsoft.graph.fileAttachment";
  if (!/^#?microsoft\.graph\.fileAttachment$/i.test(type)) {
    throw rejection("ErrorInvalidParameter", `Attachments of the type ${type.slice(0, 100)} are not supported.`);
  }
  const content = decodeStrictBase64(attachment.text("contentBytes") ?? "");
  if (content !== null) return { ...readFile(attachment), content };
  throw rejection("BadRequest", "Cannot convert the literal of contentBytes to the expected type 'Edm.Binary'.");
}

/** Returns the properties of a file without its content. */
export function readFile(attachment: Members): Omit<DraftAttachment, "content"> {
  const fileName = attachment.text("name") || null;
  if (fileName === null) throw rejection("ErrorInvalidParameter", "Required property name is missing.");
  return {
    fileName,
    contentType: attachment.text("contentType") || mediaTypeOf(fileName),
    contentId: attachment.text("contentId") || null,
    isInline: attachment.flag("isInline") ?? false,
  };
}

/** Mail of a request. */
export interface GivenMail {
  readonly fields: MessageFields;
  readonly files: readonly DraftAttachment[];
  /** Whole mail, which is sent as it is, and its Message-ID, "" without one; null for a mail of properties. */
  readonly mime: { readonly raw: Uint8Array; readonly messageId: string } | null;
}

/** Returns the mail of a message resource. */
export function readMessage(message: Members): GivenMail {
  return { fields: readFields(message, emptyFields), files: readFiles(message), mime: null };
}

/** Returns the files in a message resource. */
export function readFiles(message: Members): readonly DraftAttachment[] {
  return message.objects("attachments").map(readAttachment);
}

/** Returns whether the body of a request is a mail in MIME. */
export function isMime({ headers }: Pick<ProviderRequest, "headers">): boolean {
  return /^text\/plain\b/i.test(headers["content-type"] ?? "");
}

/** Returns the mail in a body of base64. */
export function readMime({ body }: Pick<ProviderRequest, "body">): GivenMail {
  if (body.byteLength > requestBytesMax) throw rejection("ErrorMessageSizeExceeded");
  const raw = decodeStrictBase64(Buffer.from(body).toString("latin1").replaceAll(/\s+/g, ""));
  if (raw === null || raw.byteLength === 0) throw rejection("ErrorMimeContentInvalidBase64String");
  const { subject, messageId, ...mail } = readMailHeader(raw);
  const [[from = null], to] = [mailboxesOf(mail.from), mailboxesOf(mail.to)];
  const [cc, bcc] = [mailboxesOf(mail.cc), mailboxesOf(mail.bcc)];
  return {
    fields: { ...emptyFields, subject, from, to, cc, bcc },
    files: [],
    mime: { raw, messageId: messageId ?? "" },
  };
}

function mailboxesOf(contacts: readonly Contact[]): readonly DraftMailbox[] {
  return contacts.map(({ name, email }) => {
    if (email === null || !isEmailAddress(email)) throw rejection("ErrorInvalidRecipients");
    return { name, address: email };
  });
}

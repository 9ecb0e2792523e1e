/** Requests: message resources, and mails in MIME. */
import { markTagCountMax } from "../../core/limits.ts";
import { readTag } from "../../core/marks.ts";
import type { Contact } from "../../core/message.ts";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
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

/** Body of a message resource. */
export interface ItemBody {
  readonly contentType: "text" | "html";
  readonly content: string;
}

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
  body: { contentType: "text", content: "" },
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

/** Returns the properties of a message resource; absent ones are those of `present`. */
export function readFields(message: Members, present: MessageFields): MessageFields {
  const mailboxes = (name: string, own: readonly DraftMailbox[]): readonly DraftMailbox[] =>
    message.value(name) === null ? own : message.objects(name).map((one) => readMailbox(one, name));
  const from = objectOf(message, "from") ?? objectOf(message, "sender");
  const fields = {
    ...present,
    subject: oneLine(message.text("subject") ?? present.subject),
    body: readBody(message, present.body),
    from: from === undefined ? present.from : readMailbox(from, "from"),
    replyTo: mailboxes("replyTo", present.replyTo),
    to: mailboxes("toRecipients", present.to),
    cc: mailboxes("ccRecipients", present.cc),
    bcc: mailboxes("bccRecipients", present.bcc),
    categories: message.value("categories") === null ? present.categories : readCategories(message),
    importance: message.checked("importance", isImportance) ?? present.importance,
    isRead: message.flag("isRead") ?? present.isRead,
    isFlagged: readFlag(message, present.isFlagged),
    headers: [...present.headers, ...readHeaders(message)],
    sendAt: readDeferredSend(message) ?? present.sendAt,
  };
  const count = fields.to.length + fields.cc.length + fields.bcc.length;
  if (count > recipientCountMax) {
    throw rejection(
      "ErrorInvalidRecipients",
      `At least one recipient isn't valid., More than ${recipientCountMax} recipients.`,
    );
  }
  return fields;
}

/** Returns the categories of a message, which are tags here; throws for one that is no tag. */
export function readCategories(message: Members): readonly string[] {
  const tags = message.list("categories").map((one) => (typeof one === "string" ? readTag(one) : undefined));
  const valid = tags.filter((tag) => tag !== undefined && !tag.startsWith(folderTagPrefix));
  if (valid.length < tags.length || tags.length > markTagCountMax) {
    throw rejection("ErrorInvalidProperty", "A category is invalid, or there are too many.");
  }
  return valid as readonly string[];
}

/** Line ends would begin another header field. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}

function isImportance(value: unknown): value is Importance {
  return value === "low" || value === "normal" || value === "high";
}

function readBody(message: Members, present: ItemBody): ItemBody {
  const body = objectOf(message, "body");
  if (body === undefined) return present;
  const type = (body.text("contentType") ?? "text").toLowerCase();
  return { contentType: type === "html" ? "html" : "text", content: body.text("content") ?? "" };
}

function readMailbox(recipient: Members, field: string): DraftMailbox {
  const address = objectOf(recipient, "emailAddress");
  const text = address?.text("address")?.trim() ?? "";
  if (isEmailAddress(text)) return { name: oneLine(address?.text("name") ?? ""), address: text };
  const reason = `Recipient '${text.slice(0, 100)}' isn't resolved. All recipients must be resolved before a message can be submitted.`;
  if (field === "from") throw rejection("ErrorInvalidProperty", `The address '${text.slice(0, 100)}' is invalid.`);
  throw rejection("ErrorInvalidRecipients", `At least one recipient isn't valid., ${reason}`);
}

function readFlag(message: Members, present: boolean): boolean {
  const status = objectOf(message, "flag")?.text("flagStatus") ?? null;
  return status === null ? present : status === "flagged";
}

function readHeaders(message: Members): MessageFields["headers"] {
  const given = message.objects("internetMessageHeaders");
  if (given.length > headerCountMax) {
    throw rejection("ErrorInvalidProperty", `At most ${headerCountMax} internet message headers are allowed.`);
  }
  return given.map((one) => {
    const [name, value] = [one.text("name") ?? "", one.text("value") ?? ""];
    if (/^x-/i.test(name) && isHeaderName(name)) return [name, oneLine(value)] as const;
    const shown = name.slice(0, 100);
    const text = `The internet message header name '${shown}' should start with 'x-' or 'X-'.`;
    throw rejection("InvalidInternetMessageHeader", text);
  });
}

/** Extended property by which a mail is sent later (PidTagDeferredSendTime). */
const deferredSend = /^SystemTime 0x3FEF$/i;

function readDeferredSend(message: Members): number | null {
  const property = message
    .objects("singleValueExtendedProperties")
    .find((one) => deferredSend.test(one.text("id") ?? ""));
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
  if (content === null)
    throw rejection("BadRequest", "Cannot convert the literal of contentBytes to the expected type 'Edm.Binary'.");
  return { ...readFile(attachment), content };
}

/** Returns the properties of a file without its content. */
export function readFile(attachment: Members): Omit<DraftAttachment, "content"> {
  const fileName = attachment.text("name");
  if (fileName === null || fileName === "")
    throw rejection("ErrorInvalidParameter", "Required property name is missing.");
  const contentId = attachment.text("contentId") || null;
  return {
    fileName,
    contentType: attachment.text("contentType") || mediaTypeOf(fileName),
    contentId,
    isInline: attachment.flag("isInline") ?? false,
  };
}

/** Mail in MIME, and what its header section says. */
export interface MimeMail {
  readonly raw: Uint8Array;
  readonly subject: string;
  readonly from: readonly DraftMailbox[];
  readonly to: readonly DraftMailbox[];
  readonly cc: readonly DraftMailbox[];
  readonly bcc: readonly DraftMailbox[];
  readonly messageId: string;
}

/** Returns whether the body of a request is a mail in MIME. */
export function isMime({ headers }: Pick<ProviderRequest, "headers">): boolean {
  return /^text\/plain\b/i.test(headers["content-type"] ?? "");
}

/** Returns the mail in a body of base64. */
export function readMime({ body }: Pick<ProviderRequest, "body">): MimeMail {
  if (body.byteLength > requestBytesMax) throw rejection("ErrorMessageSizeExceeded");
  const raw = decodeStrictBase64(Buffer.from(body).toString("latin1").replaceAll(/\s+/g, ""));
  if (raw === null || raw.byteLength === 0) throw rejection("ErrorMimeContentInvalidBase64String");
  const { subject, messageId, ...mail } = readMailHeader(raw);
  const [from, to] = [mailboxesOf(mail.from), mailboxesOf(mail.to)];
  const [cc, bcc] = [mailboxesOf(mail.cc), mailboxesOf(mail.bcc)];
  return { raw, subject, from, to, cc, bcc, messageId: messageId ?? "" };
}

function mailboxesOf(contacts: readonly Contact[]): readonly DraftMailbox[] {
  return contacts.map(({ name, email }) => {
    if (email === null || !isEmailAddress(email)) throw rejection("ErrorInvalidRecipients");
    return { name, address: email };
  });
}

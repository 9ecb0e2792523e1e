/** Requests that send one mail, in both versions of the API. */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import {
  constraintError,
  memberPath,
  objectAt,
  objectsAt,
  requiredObject,
  requiredText,
  textAt,
  textsAt,
} from "../formats/aws-members.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { rejection } from "./errors.ts";

/** Options of a mail beside its content. */
export interface Sending {
  /** Null: the From field of a raw mail. */
  readonly from: string | null;
  readonly recipients: Recipients;
  readonly replyTo: readonly DraftMailbox[];
  /** Address for bounces; null: the sender's. */
  readonly returnPath: string | null;
  readonly tags: readonly MessageTag[];
  readonly configurationSet: string | null;
}

/** Recipients of a mail. */
export type Recipients = Pick<EmailDraft, "to" | "cc" | "bcc">;

/** Message tag: name and value. */
export type MessageTag = readonly [name: string, value: string];

/** Content of a mail that the service composes. */
export type SimpleContent = Pick<EmailDraft, "subject" | "text" | "html" | "headers" | "attachments">;

/** Most message tags of a mail. */
const tagCountMax = 50;
const tagLengthMax = 256;
/** Tags that set the Feedback-ID field; the only ones with a colon. */
const feedbackTags: ReadonlySet<string> = new Set(["ses:feedback-id-a", "ses:feedback-id-b"]);
/** Most custom header fields. */
const headerCountMax = 15;
const headerNameLengthMax = 126;
const headerValueLengthMax = 995;
const fileNameLengthMax = 255;

/** Returns the options of a mail; `returnPath` and `tags` are the names of their members. Sets that are not stored are accepted. */
export function readOptions(
  request: JsonObject,
  returnPath: "ReturnPath" | "FeedbackForwardingEmailAddress",
  tags: string,
): Omit<Sending, "from" | "recipients"> {
  const replyTo = textsAt(request, "ReplyToAddresses").map(mailboxOf);
  const bounces = textAt(request, returnPath);
  return {
    replyTo,
    returnPath: bounces === null || bounces === "" ? null : mailboxOf(bounces).address,
    tags: readTags(request, tags),
    configurationSet: textAt(request, "ConfigurationSetName") || null,
  };
}

/** Returns the recipients of a `Destination`. */
export function readRecipients(destination: JsonObject): Recipients {
  const mailboxes = (name: string): readonly DraftMailbox[] => textsAt(destination, name).map(mailboxOf);
  return { to: mailboxes("ToAddresses"), cc: mailboxes("CcAddresses"), bcc: mailboxes("BccAddresses") };
}

/** Returns message tags; throws `invalid` for characters that Amazon SES does not allow. */
export function readTags(request: JsonObject, name: string): readonly MessageTag[] {
  const tags = objectsAt(request, name);
  if (tags.length > tagCountMax) throw rejection("invalid", `Tag count exceeds ${String(tagCountMax)}.`);
  return tags.map((tag) => checkedTag(textAt(tag, "Name") ?? "", textAt(tag, "Value") ?? ""));
}

/** Returns a message tag; throws `invalid`. */
export function checkedTag(name: string, value: string): MessageTag {
  if (!feedbackTags.has(name)) checkTagText("name", name);
  checkTagText("value", value);
  return [name, value];
}

function checkTagText(member: "name" | "value", text: string): void {
  if (text === "") throw rejection("invalid", `The tag ${member} must be specified.`);
  const shown = `Invalid tag ${member} <${text.slice(0, tagLengthMax)}>`;
  if (text.length > tagLengthMax) throw rejection("invalid", `${shown}: at most 256 characters are allowed.`);
  if (!/^[\w-]+$/.test(text)) {
    throw rejection("invalid", `${shown}: only alphanumeric ASCII characters, '_', and '-' are allowed.`);
  }
}

/** Returns the content of a `Message`; `path` is that of the object, for errors. Character sets are accepted and ignored. */
export function readSimple(message: JsonObject, path: string): SimpleContent {
  const subject = requiredObject(message, "Subject", path);
  const body = requiredObject(message, "Body", path);
  const text = bodyPart(body, "Text", path);
  const html = bodyPart(body, "Html", path);
  if (text === null && html === null) throw constraintError(`${path}.body`, "Member must not be null", "null");
  return {
    subject: requiredText(subject, "Data", `${path}.subject`),
    text,
    html,
    headers: readHeaders(message, "Headers", path),
    attachments: readAttachments(message, path),
  };
}

function bodyPart(body: JsonObject, name: string, path: string): string | null {
  const part = objectAt(body, name);
  return part === null ? null : requiredText(part, "Data", memberPath(`${path}.body`, name));
}

/** Returns custom header fields; throws `validation` for names and values that Amazon SES does not allow. */
export function readHeaders(parent: JsonObject, name: string, path: string): EmailDraft["headers"] {
  const own = memberPath(path, name);
  const headers = objectsAt(parent, name);
  if (headers.length > headerCountMax) {
    throw constraintError(own, `Member must have length less than or equal to ${String(headerCountMax)}`);
  }
  return headers.map((header, at) => {
    const member = `${own}.${String(at + 1)}.member`;
    const field = requiredText(header, "Name", member);
    const value = requiredText(header, "Value", member);
    checkPattern(field, `${member}.name`, { pattern: /^[!-9;-@A-~]+$/, lengthMax: headerNameLengthMax });
    checkPattern(value, `${member}.value`, { pattern: /^[ -~]+$/, lengthMax: headerValueLengthMax });
    return [field, value] as const;
  });
}

interface TextRule {
  readonly pattern: RegExp;
  readonly lengthMax: number;
}

function checkPattern(text: string, path: string, { pattern, lengthMax }: TextRule): void {
  if (text.length > lengthMax) {
    throw constraintError(path, `Member must have length less than or equal to ${String(lengthMax)}`);
  }
  if (!pattern.test(text)) {
    throw constraintError(path, `Member must satisfy regular expression pattern: ${pattern.source}`);
  }
}

/** Returns the files of a `Message` or `Template`; throws `malformed` for invalid base64. */
export function readAttachments(parent: JsonObject, path: string): readonly DraftAttachment[] {
  return objectsAt(parent, "Attachments").map((attachment, at) => {
    const member = `${path}.attachments.${String(at + 1)}.member`;
    const fileName = requiredText(attachment, "FileName", member);
    if (fileName.length > fileNameLengthMax) {
      throw constraintError(`${member}.fileName`, "Member must have length less than or equal to 255");
    }
    const disposition = textAt(attachment, "ContentDisposition") ?? "ATTACHMENT";
    if (disposition !== "ATTACHMENT" && disposition !== "INLINE") {
      const constraint = "Member must satisfy enum value set: [ATTACHMENT, INLINE]";
      throw constraintError(`${member}.contentDisposition`, constraint);
    }
    return {
      fileName,
      contentType: textAt(attachment, "ContentType") || mediaTypeOf(fileName),
      content: requiredBlob(attachment, "RawContent", member),
      contentId: textAt(attachment, "ContentId")?.replaceAll(/^<|>$/g, "") || null,
      isInline: disposition === "INLINE",
    };
  });
}

/** Returns the bytes of a base64 member; throws `malformed` for anything else, `validation` when it is absent. */
export function requiredBlob(parent: JsonObject, name: string, path: string): Uint8Array {
  const bytes = decodeStrictBase64(requiredText(parent, name, path));
  if (bytes === null) throw rejection("malformed");
  return bytes;
}

/** Most recipients of a mail: To, Cc and Bcc together. */
export const recipientCountMax = 50;
/** Most UTF-16 units of an address with its name. */
const addressLengthMax = 2000;
/** Domains that nobody can verify as an identity (RFC 6761 §6.4). */
const unverifiable = /(?:^|\.)invalid\.?$/i;

/** Returns the mailbox of `a@b` or `Name <a@b>`; throws `invalid`. */
export function mailboxOf(text: string): DraftMailbox {
  const mailbox = text.length > addressLengthMax ? undefined : parseMailbox(text);
  if (mailbox === undefined || !isDeliverable(mailbox.address)) throw rejection("invalid", reasonOf(text));
  return mailbox;
}

/** Amazon SES does not support SMTPUTF8: addresses are ASCII, domains in Punycode. */
function isDeliverable(address: string): boolean {
  return /^[!-~]+$/.test(address.replaceAll(" ", ""));
}

function reasonOf(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  if (address.trim() === "") return `Invalid email address ${address.trim()}.`;
  if (!address.includes("@")) return "Missing final '@domain'";
  if (/@\s*$|\.\s*$/.test(address)) return "Missing domain";
  if (/\s/.test(address.trim().slice(address.trim().lastIndexOf("@")))) return "Domain contains control or whitespace";
  return "Illegal address";
}

/** Returns the sender; throws `invalid`, and `rejected` for a domain that no account can have verified. */
export function senderOf(text: string, region: string): DraftMailbox {
  const sender = mailboxOf(text);
  if (!unverifiable.test(sender.address.slice(sender.address.lastIndexOf("@") + 1))) return sender;
  const failed = `The following identities failed the check in region ${region.toUpperCase()}: ${text}`;
  throw rejection("rejected", `Email address is not verified. ${failed}`);
}

/** Throws `invalid` unless there is at least one recipient and at most {@link recipientCountMax}. */
export function checkRecipientCount(count: number): void {
  if (count === 0) throw rejection("invalid", "Missing required header 'To'.");
  if (count > recipientCountMax) {
    throw rejection("invalid", `Recipient count exceeds ${String(recipientCountMax)}.`);
  }
}

/** Returns the addresses of mailboxes without repetitions, in order. */
export function addressesOf(mailboxes: readonly DraftMailbox[]): readonly string[] {
  return [...new Set(mailboxes.map(({ address }) => address))];
}

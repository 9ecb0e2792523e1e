/** Requests to send mail: the fields of `POST /emails`, in the order in which the API checks them. */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { withBytesAsBase64 } from "../formats/byte-arrays.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isAbsent, isJsonObject, readJson } from "../formats/json-body.ts";
import { linkedFile } from "../formats/mail-fields.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, invalidAddress, missing, rejection } from "./errors.ts";

/** Template of a mail, and the values of its variables. */
export interface TemplateChoice {
  readonly id: string;
  readonly data: Readonly<Record<string, string | number>>;
}

/** Valid request to send a mail; `from` is null and the subject is "" where only the template has them. */
export type ResendSend = ReturnType<typeof sendOf>;

const recipientCountMax = 50;
const tagLengthMax = 256;

/** Returns the JSON body of a request; throws a rejection for anything else. */
export function readResendBody(body: Uint8Array): unknown {
  const value = readJson(withBytesAsBase64(body));
  if (value === undefined) throw invalid("The request body must be valid JSON.");
  return value;
}

const rules: MemberRules = {
  wrongType: (name, type) => {
    if (type === "value") return invalid(`Invalid \`${name}\` field.`);
    return invalid(`The \`${name}\` field must be ${type === "string" ? "a `string`" : `an ${type}`}.`);
  },
};

/** Reads the JSON of a mail; throws a rejection with the first error. */
export function readResendSend(value: unknown, now: number): ResendSend {
  if (!isJsonObject(value)) throw invalid("The request body must be a JSON object.");
  return sendOf(new Members(value, rules), now);
}

function sendOf(mail: Members, now: number) {
  const template = readTemplate(mail.value("template"));
  const checkPresent = (field: string): void => {
    if (template === null && mail.value(field) === null) throw missing(field);
  };
  checkPresent("from");
  const from = mail.value("from") === null ? null : readMailbox(mail.value("from"), "from");
  const to = readRecipients(mail, "to");
  if (to.length === 0) throw missing("to");
  const subject = mail.text("subject") ?? "";
  checkPresent("subject");
  const [text, html] = [mail.text("text"), mail.text("html")];
  const isEmpty = text === null && html === null;
  if (template === null && isEmpty) throw invalid("Missing `html` or `text` field.");
  if (template !== null && !isEmpty) {
    throw invalid("The `template` field cannot be used together with `html` or `text`.");
  }
  return {
    draft: {
      from,
      to,
      cc: readRecipients(mail, "cc"),
      bcc: readRecipients(mail, "bcc"),
      replyTo: readRecipients(mail, "reply_to"),
      subject,
      text,
      html,
      headers: mail.headers("headers"),
      attachments: mail.list("attachments").map(readAttachment),
    },
    template,
    tags: Object.fromEntries(mail.list("tags").map(readTag)),
    sendAt: readScheduledAt(mail.value("scheduled_at"), now),
  };
}

function readRecipients(mail: Members, field: string): readonly DraftMailbox[] {
  const given = [mail.value(field) ?? []].flat();
  if (given.length > recipientCountMax) {
    throw invalid(`Invalid \`${field}\` field. The maximum number of recipients is ${recipientCountMax}.`);
  }
  return given.map((one) => readMailbox(one, field));
}

function readMailbox(value: unknown, field: string): DraftMailbox {
  const mailbox = typeof value === "string" ? parseMailbox(value) : undefined;
  if (mailbox === undefined) throw invalidAddress(field);
  return mailbox;
}

/**
 * Reads a tag. Its name and value consist of ASCII letters, digits, underscores and dashes:
 * https://resend.com/docs/dashboard/emails/tags
 */
function readTag(tag: unknown): readonly [name: string, value: string] {
  const { name, value } = isJsonObject(tag) ? tag : {};
  if (isTagText(name) && isTagText(value)) return [name, value];
  throw invalid("Tags should only contain ASCII letters, numbers, underscores, or dashes.");
}

function isTagText(value: unknown): value is string {
  return typeof value === "string" && value.length <= tagLengthMax && /^[\w-]+$/.test(value);
}

function readTemplate(value: unknown): TemplateChoice | null {
  if (value === null) return null;
  const { id, variables = null } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || id === "") throw missing("template.id");
  const given = new Members({ "template.variables": variables }, rules).object("template.variables") ?? {};
  const entries = Object.entries(given).map(([name, text]) => {
    if (typeof text === "string" || typeof text === "number") return [name, text] as const;
    throw invalid(`The variable \`${name.slice(0, 50)}\` must be a string or a number.`);
  });
  return { id, data: Object.fromEntries(entries) };
}

function readAttachment(one: unknown): DraftAttachment {
  if (!isJsonObject(one)) throw rejection("invalid_attachment");
  const { path } = one;
  const fileName = filled(one["filename"]);
  // The second is the name of SDKs of 2025; the API kept it.
  const cid = filled(one["content_id"]) ?? filled(one["inline_content_id"]);
  const shared = { fileName, contentId: cid, isInline: cid !== null };
  if (typeof path === "string" && isAbsent(one["content"])) return { ...shared, ...linkedFile(path) };
  const content = readContent(one["content"]);
  if (content === null) throw rejection("invalid_attachment");
  return { ...shared, contentType: filled(one["content_type"]) ?? mediaTypeOf(fileName ?? ""), content };
}

function filled(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Reads base64, an array of bytes, which the SDKs of Go and Python send, or the JSON of a Node Buffer, which older ones send. */
function readContent(value: unknown): Uint8Array | null {
  const data: unknown = isJsonObject(value) && value["type"] === "Buffer" ? value["data"] : value;
  if (typeof data === "string") return decodeStrictBase64(data);
  const isByte = (one: unknown): boolean => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255;
  return Array.isArray(data) && data.every(isByte) ? Uint8Array.from(data) : null;
}

const scheduleMsMax = 30 * 24 * 3_600_000;
/** Milliseconds of the units of spans, by their first letter. */
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const span = /^in (\d{1,6}|an?) (sec(?:ond)?|min(?:ute)?|hour|day|week)s?$/;

/**
 * Returns the instant of `scheduled_at` in milliseconds since the Unix epoch, null when it is absent: ISO 8601, in UTC
 * without an offset, or a span such as `in 1 min`, `in an hour`; other natural language is not understood. Throws a rejection for
 * anything else and for an instant of more than 30 days from now.
 */
export function readScheduledAt(value: unknown, now: number): number | null {
  if (value === undefined || value === null) return null;
  const instant = typeof value === "string" ? (readSpan(value, now) ?? readIsoInstant(value.toUpperCase())) : undefined;
  if (instant === undefined) {
    throw invalid("Invalid `scheduled_at` field. Use ISO 8601, or a span such as `in 1 min`.");
  }
  if (instant > now + scheduleMsMax) {
    throw invalid("The `scheduled_at` field must be within 30 days.");
  }
  return instant;
}

function readSpan(text: string, now: number): number | undefined {
  const [, amount = "", unit = ""] = span.exec(text.trim().toLowerCase()) ?? [];
  return unit === "" ? undefined : now + (unitMs[unit.charAt(0)] ?? 0) * (amount.startsWith("a") ? 1 : Number(amount));
}

/** Returns the response that names an object. */
export function objectResponse(object: "email" | "template", id: string): ProviderResponse {
  return jsonResponse(200, { object, id });
}

/** Returns an instant as Resend writes it: `2026-11-22 10:42:07.123456+00`. */
export function instantText(ms: number): string {
  return `${new Date(ms).toISOString().replace("T", " ").replace("Z", "")}000+00`;
}

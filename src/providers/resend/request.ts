/** Requests to send mail: the fields of `POST /emails`, in the order in which the API checks them. */
import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { withBytesAsBase64 } from "../formats/byte-arrays.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isAbsent, isJsonObject, readJson } from "../formats/json-body.ts";
import { isHeaderName, linkedFile } from "../formats/mail-fields.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import { invalid, invalidAddress, missing, rejection } from "./errors.ts";

/** Template of a mail, and the values of its variables. */
export interface TemplateChoice {
  readonly id: string;
  readonly data: Readonly<Record<string, string | number>>;
}

/** Valid request to send a mail. */
export interface ResendSend {
  /** `from` is null and the subject is "" where only the template has them. */
  readonly draft: Omit<EmailDraft, "from"> & { readonly from: DraftMailbox | null };
  readonly template: TemplateChoice | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly sendAt: number | null;
}

const recipientCountMax = 50;
const tagLengthMax = 256;

/** Returns the JSON body of a request; throws a rejection for anything else. */
export function readResendBody(body: Uint8Array): unknown {
  const value = readJson(withBytesAsBase64(body));
  if (value === undefined) throw invalid("The request body must be valid JSON.");
  return value;
}

/** Rules of members of requests. */
const rules: MemberRules = {
  wrongType: (name, type) =>
    invalid(`The \`${name}\` field must be ${type === "string" ? "a `string`" : `an ${type}`}.`),
};

/** Reads the JSON of a mail; throws a rejection with the first error. */
export function readResendSend(value: unknown, now: number): ResendSend {
  if (!isJsonObject(value)) throw invalid("The request body must be a JSON object.");
  const mail = new Members(value, rules);
  const template = readTemplate(mail.value("template"));
  const from = readFrom(mail.value("from"), template);
  const to = readRecipients(mail, "to");
  if (to.length === 0) throw missing("to");
  const subject = mail.text("subject");
  if (subject === null && template === null) throw missing("subject");
  const { text, html } = readBodies(mail, template);
  const [cc, bcc, replyTo] = [
    readRecipients(mail, "cc"),
    readRecipients(mail, "bcc"),
    readRecipients(mail, "reply_to"),
  ];
  const headers = Object.entries(mail.object("headers") ?? {}).map(([name, field]) => {
    if (typeof field !== "string" || !isHeaderName(name)) throw invalid("Invalid `headers` field.");
    return [name, field] as const;
  });
  const attachments = mail.list("attachments").map(readAttachment);
  return {
    draft: { from, to, cc, bcc, replyTo, subject: subject ?? "", text, html, headers, attachments },
    template,
    tags: Object.fromEntries(mail.list("tags").map(readTag)),
    sendAt: readScheduledAt(mail.value("scheduled_at"), now),
  };
}

function readBodies(mail: Members, template: TemplateChoice | null): Pick<EmailDraft, "text" | "html"> {
  const bodies = { text: mail.text("text"), html: mail.text("html") };
  const isEmpty = bodies.text === null && bodies.html === null;
  if (template !== null && !isEmpty) {
    throw invalid("The `template` field cannot be used together with `html` or `text`.");
  }
  if (template === null && isEmpty) throw invalid("Missing `html` or `text` field.");
  return bodies;
}

function readFrom(value: unknown, template: TemplateChoice | null): DraftMailbox | null {
  if (value !== null) return readMailbox(value, "from");
  if (template === null) throw missing("from");
  return null;
}

function readRecipients(mail: Members, field: string): readonly DraftMailbox[] {
  const value = mail.value(field) ?? [];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
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
  return Array.isArray(data) && data.every(isByte) ? Uint8Array.from(data) : null;
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

const dayMs = 24 * 3_600_000;
const scheduleMsMax = 30 * dayMs;
const unitMs: Readonly<Record<string, number>> = {
  second: 1000,
  sec: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
};

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
  const [, amount = "", unit = ""] = /^in (\d{1,6}|an?) ([a-z]+?)s?$/i.exec(text.trim()) ?? [];
  const lower = unit.toLowerCase();
  const ms = Object.hasOwn(unitMs, lower) ? unitMs[lower] : undefined;
  return ms === undefined ? undefined : now + ms * (/^a/i.test(amount) ? 1 : Number(amount));
}

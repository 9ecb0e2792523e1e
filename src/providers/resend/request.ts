/** Requests to send mail: the fields of `POST /emails`, in the order in which the API checks them. */
import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { withBytesAsBase64 } from "../formats/byte-arrays.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isAbsent, isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName, linkedFile } from "../formats/mail-fields.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { invalid, invalidAddress, missing, rejection } from "./errors.ts";

/** Template of a mail, and the values of its variables. */
export interface TemplateChoice {
  readonly id: string;
  readonly variables: Readonly<Record<string, string | number>>;
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

/** Reads the JSON of a mail; throws a rejection with the first error. */
export function readResendSend(value: unknown, now: number): ResendSend {
  if (!isJsonObject(value)) throw invalid("The request body must be a JSON object.");
  const template = readTemplate(value["template"]);
  const from = readFrom(value["from"], template);
  const to = readRecipients(value, "to");
  if (to.length === 0) throw missing("to");
  const subject = readText(value, "subject");
  if (subject === null && template === null) throw missing("subject");
  const text = readText(value, "text");
  const html = readText(value, "html");
  if (template !== null && (text !== null || html !== null)) {
    throw invalid("The `template` field cannot be used together with `html` or `text`.");
  }
  if (template === null && text === null && html === null) throw invalid("Missing `html` or `text` field.");
  return {
    draft: {
      from,
      to,
      cc: readRecipients(value, "cc"),
      bcc: readRecipients(value, "bcc"),
      replyTo: readRecipients(value, "reply_to"),
      subject: subject ?? "",
      text,
      html,
      headers: readHeaders(value["headers"]),
      attachments: readAttachments(value["attachments"]),
    },
    template,
    tags: readTags(value["tags"]),
    sendAt: readScheduledAt(value["scheduled_at"], now),
  };
}

function readFrom(value: unknown, template: TemplateChoice | null): DraftMailbox | null {
  if (isAbsent(value)) {
    if (template !== null) return null;
    throw missing("from");
  }
  const from = typeof value === "string" ? parseMailbox(value) : undefined;
  if (from === undefined) throw invalidAddress("from");
  return from;
}

function readRecipients(mail: JsonObject, field: string): readonly DraftMailbox[] {
  const value = mail[field];
  if (isAbsent(value)) return [];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > recipientCountMax) {
    throw invalid(`Invalid \`${field}\` field. The maximum number of recipients is ${recipientCountMax}.`);
  }
  return given.map((one) => {
    const mailbox = typeof one === "string" ? parseMailbox(one) : undefined;
    if (mailbox === undefined) throw invalidAddress(field);
    return mailbox;
  });
}

function readText(mail: JsonObject, field: string): string | null {
  const value = mail[field];
  if (isAbsent(value)) return null;
  if (typeof value !== "string") throw invalid(`The \`${field}\` field must be a \`string\`.`);
  return value;
}

function readHeaders(value: unknown): EmailDraft["headers"] {
  if (isAbsent(value)) return [];
  if (!isJsonObject(value)) throw invalid("The `headers` field must be an object.");
  return Object.entries(value).map(([name, text]) => {
    if (typeof text !== "string" || !isHeaderName(name)) throw invalid("Invalid `headers` field.");
    return [name, text] as const;
  });
}

/**
 * Reads tags. Their names and values consist of ASCII letters, digits, underscores and dashes:
 * https://resend.com/docs/dashboard/emails/tags
 */
function readTags(value: unknown): ResendSend["tags"] {
  if (isAbsent(value)) return {};
  if (!Array.isArray(value)) throw invalid("The `tags` field must be an array.");
  return Object.fromEntries(
    value.map((tag: unknown) => {
      const { name, value: text } = isJsonObject(tag) ? tag : {};
      if (!isTagText(name) || !isTagText(text)) {
        throw invalid("Tags should only contain ASCII letters, numbers, underscores, or dashes.");
      }
      return [name, text];
    }),
  );
}

function isTagText(value: unknown): value is string {
  return typeof value === "string" && value.length <= tagLengthMax && /^[\w-]+$/.test(value);
}

function readTemplate(value: unknown): TemplateChoice | null {
  if (isAbsent(value)) return null;
  const { id, variables } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || id === "") throw missing("template.id");
  if (!isAbsent(variables) && !isJsonObject(variables))
    throw invalid("The `template.variables` field must be an object.");
  const entries = Object.entries(isJsonObject(variables) ? variables : {});
  return {
    id,
    variables: Object.fromEntries(
      entries.map(([name, text]) => {
        if (typeof text === "string" || typeof text === "number") return [name, text];
        throw invalid(`The variable \`${name.slice(0, 50)}\` must be a string or a number.`);
      }),
    ),
  };
}

function readAttachments(value: unknown): readonly DraftAttachment[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalid("The `attachments` field must be an array.");
  return value.map((one: unknown) => {
    if (!isJsonObject(one)) throw rejection("invalid_attachment");
    const { path } = one;
    const fileName = filled(one["filename"]);
    // The second is the name of SDKs of 2025; the API kept it.
    const cid = filled(one["content_id"]) ?? filled(one["inline_content_id"]);
    const shared = { fileName, contentId: cid, isInline: cid !== null };
    if (typeof path === "string" && isAbsent(one["content"])) return { ...shared, ...linkedFile(path) };
    const content = readContent(one["content"]);
    if (content === null) throw rejection("invalid_attachment");
    const type = filled(one["content_type"]) ?? mediaTypeOf(fileName ?? "");
    return { ...shared, contentType: type, content };
  });
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

/** Requests to send mail: the fields of `POST /emails`, in the order in which the API checks them. */
import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { withBytesAsBase64 } from "../formats/byte-arrays.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { invalidResendField, resendError, ResendRejection } from "./errors.ts";
import { readScheduledAt } from "./scheduled-at.ts";

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
const format = "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.";

/** Returns the JSON body of a request; throws {@link ResendRejection} for anything else. */
export function readResendBody(body: Uint8Array): unknown {
  const value = readJson(withBytesAsBase64(body));
  if (value === undefined) throw rejection("The request body must be valid JSON.");
  return value;
}

/** Reads the JSON of a mail; throws {@link ResendRejection} with the first error. */
export function readResendSend(value: unknown, now: number): ResendSend {
  if (!isJsonObject(value)) throw rejection("The request body must be a JSON object.");
  const template = readTemplate(value["template"]);
  const from = readFrom(value["from"], template);
  const to = readRecipients(value, "to");
  if (to.length === 0) throw missing("to");
  const subject = readText(value, "subject");
  if (subject === null && template === null) throw missing("subject");
  const text = readText(value, "text");
  const html = readText(value, "html");
  if (template !== null && (text !== null || html !== null)) {
    throw rejection("The `template` field cannot be used together with `html` or `text`.");
  }
  if (template === null && text === null && html === null) throw rejection("Missing `html` or `text` field.");
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
  if (from === undefined) throw rejection(`Invalid \`from\` field. ${format}`);
  return from;
}

function readRecipients(mail: JsonObject, field: string): readonly DraftMailbox[] {
  const value = mail[field];
  if (isAbsent(value)) return [];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > recipientCountMax) {
    throw rejection(`Invalid \`${field}\` field. The maximum number of recipients is ${recipientCountMax}.`);
  }
  return given.map((one) => {
    const mailbox = typeof one === "string" ? parseMailbox(one) : undefined;
    if (mailbox === undefined) throw rejection(`Invalid \`${field}\` field. ${format}`);
    return mailbox;
  });
}

function readText(mail: JsonObject, field: string): string | null {
  const value = mail[field];
  if (isAbsent(value)) return null;
  if (typeof value !== "string") throw rejection(`The \`${field}\` field must be a \`string\`.`);
  return value;
}

function readHeaders(value: unknown): EmailDraft["headers"] {
  if (isAbsent(value)) return [];
  if (!isJsonObject(value)) throw rejection("The `headers` field must be an object.");
  return Object.entries(value).map(([name, text]) => {
    if (typeof text !== "string" || !/^[!-9;-~]+$/.test(name)) throw rejection("Invalid `headers` field.");
    return [name, text] as const;
  });
}

/**
 * Reads tags. Their names and values consist of ASCII letters, digits, underscores and dashes:
 * https://resend.com/docs/dashboard/emails/tags
 */
function readTags(value: unknown): ResendSend["tags"] {
  if (isAbsent(value)) return {};
  if (!Array.isArray(value)) throw rejection("The `tags` field must be an array.");
  return Object.fromEntries(
    value.map((tag: unknown) => {
      const { name, value: text } = isJsonObject(tag) ? tag : {};
      if (!isTagText(name) || !isTagText(text)) {
        throw rejection("Tags should only contain ASCII letters, numbers, underscores, or dashes.");
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
    throw rejection("The `template.variables` field must be an object.");
  const entries = Object.entries(isJsonObject(variables) ? variables : {});
  return {
    id,
    variables: Object.fromEntries(
      entries.map(([name, text]) => {
        if (typeof text === "string" || typeof text === "number") return [name, text];
        throw rejection(`The variable \`${name.slice(0, 50)}\` must be a string or a number.`);
      }),
    ),
  };
}

/** An attachment by `path` is not fetched: its content is the URL, as `text/uri-list` (RFC 2483). */
function readAttachments(value: unknown): readonly DraftAttachment[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw rejection("The `attachments` field must be an array.");
  return value.map((one: unknown) => {
    if (!isJsonObject(one)) throw new ResendRejection(resendError("invalid_attachment"));
    const { path } = one;
    const fileName = filled(one["filename"]);
    // The second is the name of SDKs of 2025; the API kept it.
    const cid = filled(one["content_id"]) ?? filled(one["inline_content_id"]);
    const shared = { fileName, contentId: cid, isInline: cid !== null };
    if (typeof path === "string" && isAbsent(one["content"])) {
      return { ...shared, contentType: "text/uri-list", content: Buffer.from(`${path}\r\n`) };
    }
    const content = readContent(one["content"]);
    if (content === null) throw new ResendRejection(resendError("invalid_attachment"));
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

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function missing(field: string): ResendRejection {
  return new ResendRejection(resendError("missing_required_field", `Missing \`${field}\` field.`));
}

function rejection(message: string): ResendRejection {
  return new ResendRejection(invalidResendField(message));
}

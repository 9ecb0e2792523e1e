import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Issues } from "./issues.ts";

/** Bodies of a mail. Content of other types than text and HTML is sent as an attachment without a name. */
export interface Content {
  readonly text: string | null;
  readonly html: string | null;
  readonly others: readonly DraftAttachment[];
}

interface Block {
  readonly type: string;
  readonly value: string;
}

const separators = /[;,\r\n]/;

/** Reads `content`; it may be absent when a template has the bodies. */
export function readContent(issues: Issues, value: unknown, isRequired: boolean): Content {
  const list = issues.array(value ?? undefined, "content");
  if (isRequired && (list === undefined ? value === undefined || value === null : list.length === 0)) {
    issues.add("contentRequired", "content");
  }
  const blocks = (list ?? []).flatMap((one, at) => readBlock(issues, one, `content.${at}`) ?? []);
  const types = blocks.map(({ type }) => type);
  if (new Set(types).size < types.length) issues.add("contentRepeated", "content");
  const ranks = types.map((type) => (type === "text/plain" ? 0 : type === "text/html" ? 1 : 2));
  if (ranks.some((rank, at) => rank < (ranks[at - 1] ?? 0))) issues.add("contentOrder", "content");
  const valueOf = (type: string): string | null => blocks.find((block) => block.type === type)?.value ?? null;
  const others = blocks.filter(({ type }) => type !== "text/plain" && type !== "text/html");
  return { text: valueOf("text/plain"), html: valueOf("text/html"), others: others.map(attachmentOfBlock) };
}

function readBlock(issues: Issues, value: unknown, field: string): Block | undefined {
  const block = issues.object(value, field);
  if (block === undefined) return undefined;
  const { type, value: text } = block;
  if (typeof type !== "string" || type === "") issues.add("contentType", `${field}.type`);
  else if (separators.test(type)) issues.add("contentTypeCharacters", `${field}.type`);
  if (typeof text !== "string" || text === "") issues.add("contentValue", `${field}.value`);
  if (typeof type !== "string" || typeof text !== "string") return undefined;
  return { type: type.trim().toLowerCase(), value: text };
}

function attachmentOfBlock({ type, value }: Block): DraftAttachment {
  const contentType = `${type}; charset=utf-8`;
  return { fileName: null, contentType, content: Buffer.from(value), contentId: null, isInline: false };
}

/** Reads `attachments`. */
export function readAttachments(issues: Issues, value: unknown): readonly DraftAttachment[] {
  const list = issues.array(value ?? undefined, "attachments") ?? [];
  return list.flatMap((one, at) => {
    const field = `attachments.${at}`;
    const attachment = issues.object(one, field);
    return attachment === undefined ? [] : [readAttachment(issues, attachment, field)];
  });
}

function readAttachment(issues: Issues, attachment: JsonObject, field: string): DraftAttachment {
  const { disposition = "attachment" } = attachment;
  if (disposition !== "inline" && disposition !== "attachment") {
    issues.add("attachmentDisposition", `${field}.disposition`, shown(disposition));
  }
  return {
    content: readBytes(issues, attachment["content"], `${field}.content`),
    fileName: readFileName(issues, attachment["filename"], `${field}.filename`),
    contentType: readType(issues, attachment["type"], `${field}.type`),
    contentId: readContentId(issues, attachment["content_id"], `${field}.content_id`),
    isInline: disposition === "inline",
  };
}

function readFileName(issues: Issues, value: unknown, field: string): string | null {
  if (typeof value !== "string" || value === "") {
    issues.add("attachmentFileName", field);
    return null;
  }
  if (/[\r\n]/.test(value)) issues.add("attachmentFileNameCharacters", field);
  return value;
}

function readType(issues: Issues, value: unknown, field: string): string {
  if (value === undefined) return "application/octet-stream";
  if (typeof value !== "string" || value === "") {
    issues.add("attachmentType", field);
    return "";
  }
  if (separators.test(value)) issues.add("attachmentTypeCharacters", field);
  return value;
}

function readContentId(issues: Issues, value: unknown, field: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") {
    issues.add("attachmentContentId", field, shown(value));
    return null;
  }
  if (/[\r\n]/.test(value)) issues.add("attachmentContentIdCharacters", field);
  return value.replace(/^<(.*)>$/, "$1");
}

function readBytes(issues: Issues, value: unknown, field: string): Uint8Array {
  if (typeof value !== "string" || value === "") {
    issues.add("attachmentContent", field);
    return new Uint8Array();
  }
  const bytes = decodeStrictBase64(value);
  if (bytes === null) issues.add("attachmentBase64", field);
  return bytes ?? new Uint8Array();
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

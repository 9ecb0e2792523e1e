import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Issues } from "./errors.ts";

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

function readBlock(issues: Issues, given: unknown, field: string): Block | undefined {
  const block = issues.object(given, field);
  if (block === undefined) return undefined;
  const type = issues.required(block["type"], `${field}.type`, {
    missing: "contentType",
    forbidden: [separators, "contentTypeCharacters"],
  });
  const value = issues.required(block["value"], `${field}.value`, { missing: "contentValue" });
  return typeof block["type"] === "string" && typeof block["value"] === "string"
    ? { type: type.trim().toLowerCase(), value }
    : undefined;
}

function attachmentOfBlock({ type, value }: Block): DraftAttachment {
  const contentType = `${type}; charset=utf-8`;
  return { fileName: null, contentType, content: Buffer.from(value), contentId: null, isInline: false };
}

/** Reads `attachments`. */
export function readAttachments(issues: Issues, value: unknown): readonly DraftAttachment[] {
  return issues.objects(value, "attachments", (attachment, field) => readAttachment(issues, attachment, field));
}

function readAttachment(issues: Issues, attachment: JsonObject, field: string): DraftAttachment {
  const { content, filename, type, content_id: contentId = null, disposition = "attachment" } = attachment;
  if (disposition !== "inline" && disposition !== "attachment") {
    issues.add("attachmentDisposition", `${field}.disposition`, shown(disposition));
  }
  const base64 = issues.required(content, `${field}.content`, { missing: "attachmentContent" });
  const bytes = decodeStrictBase64(base64);
  if (bytes === null) issues.add("attachmentBase64", `${field}.content`);
  const fileName = issues.required(filename, `${field}.filename`, {
    missing: "attachmentFileName",
    forbidden: [/[\r\n]/, "attachmentFileNameCharacters"],
  });
  const contentType = issues.required(type ?? (type === null ? "" : defaultType), `${field}.type`, {
    missing: "attachmentType",
    forbidden: [separators, "attachmentTypeCharacters"],
  });
  return {
    content: bytes ?? new Uint8Array(),
    fileName,
    contentType,
    contentId: readContentId(issues, contentId, `${field}.content_id`),
    isInline: disposition === "inline",
  };
}

const defaultType = "application/octet-stream";

function readContentId(issues: Issues, value: unknown, field: string): string | null {
  if (value === null || value === "") return null;
  if (typeof value !== "string") issues.add("attachmentContentId", field, shown(value));
  else if (/[\r\n]/.test(value)) issues.add("attachmentContentIdCharacters", field);
  return typeof value === "string" ? value.replace(/^<(.*)>$/, "$1") : null;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

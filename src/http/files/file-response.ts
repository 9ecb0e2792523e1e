import { Problem } from "../../core/errors.ts";
import { ProblemWithHeaders } from "../error-response.ts";
import type { HttpResponse, HttpResponseHeaders } from "../http-response.ts";
import type { Call, Success } from "../route.ts";
import type { openRawMessage } from "../../operations/services/reading/get-message.ts";
import { build } from "../../core/schema.ts";

const lengthMax = 200;
const plainName = /^[\w !#$&+.^`~()-]+$/;

/**
 * Returns `Content-Disposition: attachment` with a name (RFC 6266), also in UTF-8 when it is not plain ASCII (RFC
 * 8187). Control characters and path separators become `_`; a name is cut at 200 characters.
 */
export function attachmentDisposition(fileName: string): string {
  const name = Array.from(fileName.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, "_"))
    .slice(0, lengthMax)
    .join("");
  if (name === "") return "attachment";
  if (plainName.test(name)) return `attachment; filename="${name}"`;
  const ascii = name.replaceAll(/[^\w !#$&+.^`~()-]/g, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtended(name)}`;
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Range of bytes, both ends included (RFC 9110 §14.1.2). */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const single = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Parses a Range field for content of `length` bytes. Returns one range, `unsatisfiable` when it lies outside, or
 * undefined when the field is to be ignored (RFC 9110 §14.2): absent, malformed, of another unit, or with several
 * ranges.
 */
export function parseByteRange(field: string | undefined, length: number): ByteRange | "unsatisfiable" | undefined {
  const match = field === undefined ? null : single.exec(field);
  if (match === null) return undefined;
  const [, from = "", to = ""] = match;
  if (from === "" && to === "") return undefined;
  if (from === "") return suffix(Number(to), length);
  const first = Number(from);
  const last = to === "" ? Infinity : Number(to);
  if (last < first) return undefined;
  return first >= length ? "unsatisfiable" : { first, last: Math.min(last, length - 1) };
}

function suffix(count: number, length: number): ByteRange | "unsatisfiable" {
  return count === 0 || length === 0 ? "unsatisfiable" : { first: Math.max(0, length - count), last: length - 1 };
}

/** Content of a download. */
interface ServedFile {
  /** All bytes, or content that is read while it is written. */
  readonly content: Uint8Array | Awaited<ReturnType<typeof openRawMessage>>;
  readonly contentType: string;
  readonly fileName: string;
  /** Identifies these bytes; letters, digits and hyphens. */
  readonly version: string;
}

/** Header fields of content of strangers: browsers execute nothing of it, and pages of other sites cannot embed it. */
export const isolatedHeaders: HttpResponseHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Returns a file as a download that no browser renders: 200, 206 for a single range (RFC 9110 §14), or 304 when the
 * client has it. A range applies only when `If-Range` agrees, and only to GET. Throws 416 with the length.
 */
export function fileResponse(call: Call, file: ServedFile): HttpResponse {
  const sizeBytes = sizeOf(file);
  const etag = `"${file.version}"`;
  const validators: HttpResponseHeaders = { etag, "cache-control": "private, no-cache", "accept-ranges": "bytes" };
  if (matchesAny(call.headers["if-none-match"], etag)) return { status: 304, headers: validators, body: null };
  const headers: HttpResponseHeaders = {
    ...validators,
    "content-type": file.contentType,
    "content-disposition": attachmentDisposition(file.fileName),
    ...isolatedHeaders,
  };
  const range = parseByteRange(rangeField(call, etag), sizeBytes);
  if (range === undefined) return { status: 200, headers, ...bodyOf(file, { first: 0, last: sizeBytes - 1 }) };
  const length = String(sizeBytes);
  if (range === "unsatisfiable") {
    throw new ProblemWithHeaders(new Problem("range_not_satisfiable"), { "content-range": `bytes */${length}` });
  }
  const contentRange = `bytes ${String(range.first)}-${String(range.last)}/${length}`;
  return {
    status: 206,
    headers: { ...headers, "content-range": contentRange },
    ...bodyOf(file, range),
  };
}

function sizeOf({ content }: ServedFile): number {
  return content instanceof Uint8Array ? content.byteLength : content.sizeBytes;
}

/** Returns the body of a range; streamed content announces its own length. */
function bodyOf(
  { content }: ServedFile,
  range: ByteRange,
): Pick<HttpResponse, "body" | "freesBody" | "stream" | "streamBytes"> {
  const { first, last } = range;
  if (content instanceof Uint8Array) return { body: [content.subarray(first, last + 1)] };
  if (content.bytes !== undefined) return { body: [content.bytes.subarray(first, last + 1)], freesBody: true };
  return { body: null, stream: content.read(range), streamBytes: last + 1 - first };
}

function rangeField(call: Call, etag: string): string | undefined {
  const condition = call.headers["if-range"];
  if (call.isHead || (condition !== undefined && condition !== etag)) return undefined;
  return call.headers.range;
}

/** Compares entity tags weakly (RFC 9110 §13.1.2). */
function matchesAny(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return field.split(",").some((one) => {
    const tag = one.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

/**
 * Media types that no browser executes or renders with scripts. Any other type is sent as `application/octet-stream`,
 * including HTML, SVG, XML and scripts.
 */
const safeTypes = new Set([
  "application/gzip",
  "application/json",
  "application/msword",
  "application/pdf",
  "application/pgp-encrypted",
  "application/pgp-signature",
  "application/pkcs7-mime",
  "application/pkcs7-signature",
  "application/rtf",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/x-tar",
  "application/zip",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/heic",
  "image/jpeg",
  "image/jpg",
  "image/png",
  "image/tiff",
  "image/vnd.microsoft.icon",
  "image/webp",
  "image/x-icon",
  "message/rfc822",
  "text/calendar",
  "text/csv",
  "text/plain",
  "text/vcard",
]);
const safeFamilies =
  /^(?:audio\/[\w.-]+|video\/[\w.-]+|font\/[\w.-]+|application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+)$/;
const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i;

/**
 * Returns the Content-Type to send for a declared one: itself when it is known to be harmless, with the charset of
 * text.
 */
export function safeMediaType(declared: string): string {
  const essence = (declared.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (!safeTypes.has(essence) && !safeFamilies.test(essence)) return "application/octet-stream";
  const named = essence.startsWith("text/") ? charset.exec(declared)?.[1] : undefined;
  return named === undefined ? essence : `${essence}; charset=${named}`;
}

/** Returns the successes of a route that responds with a file. */
export function fileSuccesses(contentType: string): readonly Success[] {
  const schema = build.string({ contentMediaType: contentType });
  return [
    { status: 200, description: "The content.", contentType, schema },
    { status: 206, description: "The requested range.", contentType, schema },
    { status: 304, description: "The client has the current content." },
  ];
}

import { Problem } from "../../core/errors.ts";
import type { Answer, AnswerHeaders } from "../answer.ts";
import { Refusal } from "../error-response.ts";
import type { Call } from "../route.ts";
import { parseByteRange } from "./byte-range.ts";
import { attachmentDisposition } from "./content-disposition.ts";

/** Bytes to be downloaded. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fileName: string;
  /** Names these bytes and no others; letters, digits and hyphens. */
  readonly version: string;
}

/**
 * A file as a download that no browser will render: 200, 206 for a single range (RFC 9110 §14), 304 where the caller has
 * it. A range counts only where `If-Range` agrees, and only on GET. Throws 416 with the length.
 */
export function fileAnswer(call: Call, file: ServedFile): Answer {
  const { bytes } = file;
  const etag = `"${file.version}"`;
  const kept: AnswerHeaders = { etag, "cache-control": "private, no-cache", "accept-ranges": "bytes" };
  if (matchesAny(call.headers["if-none-match"], etag)) return { status: 304, headers: kept, body: null };
  const headers: AnswerHeaders = {
    ...kept,
    "content-type": file.contentType,
    "content-disposition": attachmentDisposition(file.fileName),
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
  };
  const range = parseByteRange(rangeField(call, etag), bytes.byteLength);
  if (range === undefined) return { status: 200, headers, body: [bytes] };
  const length = String(bytes.byteLength);
  if (range === "unsatisfiable") {
    throw new Refusal(new Problem("range_not_satisfiable"), { "content-range": `bytes */${length}` });
  }
  const contentRange = `bytes ${String(range.first)}-${String(range.last)}/${length}`;
  return {
    status: 206,
    headers: { ...headers, "content-range": contentRange },
    body: [bytes.subarray(range.first, range.last + 1)],
  };
}

function rangeField(call: Call, etag: string): string | undefined {
  const condition = call.headers["if-range"];
  if (call.isHead || (condition !== undefined && condition !== etag)) return undefined;
  return call.headers.range;
}

/** RFC 9110 §13.1.2: weak comparison. */
function matchesAny(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return field.split(",").some((one) => {
    const tag = one.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

import { invalidField, Problem } from "../../core/errors.ts";
import { freeMemory } from "../../core/process-resources.ts";
import { readJsonBody, readJsonBodyInTurns } from "../../core/read-json.ts";

const jsonType = /^(?:application\/json|text\/json|application\/[\w.!#$&^+-]*\+json)$/i;
const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i;

/**
 * Parses the JSON of a body (RFC 8259); returns undefined for an empty one, whatever its Content-Type. A body without a
 * Content-Type is taken as JSON. Throws `unsupported_media_type`, a 400 on the field `body` when it is not JSON in
 * UTF-8, and `body_too_large` beyond the limits of all bodies.
 */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  return isAbsent(bytes, contentType) ? undefined : readJsonBody(bytes, rejectSyntax);
}

/**
 * As {@link parseJsonBody}, and leaves turns of the event loop to others while it parses a large body. Frees the bytes, which
 * nothing may read afterwards.
 */
export async function parseJsonBodyInTurns(bytes: Uint8Array, contentType: string | undefined): Promise<unknown> {
  if (isAbsent(bytes, contentType)) return undefined;
  const value = await readJsonBodyInTurns(bytes, rejectSyntax);
  freeMemory(bytes);
  return value;
}

function isAbsent(bytes: Uint8Array, contentType: string | undefined): boolean {
  if (bytes.byteLength === 0) return true;
  if (contentType !== undefined && !isJson(contentType)) throw new Problem("unsupported_media_type");
  return false;
}

function rejectSyntax(): never {
  throw invalidField("body", "Must be valid JSON in UTF-8", "invalid_json");
}

function isJson(contentType: string): boolean {
  const mediaType = contentType.split(";", 1)[0] ?? "";
  if (!jsonType.test(mediaType.trim())) return false;
  const named = charset.exec(contentType)?.[1]?.toLowerCase() ?? "utf-8";
  return named === "utf-8" || named === "utf8" || named === "us-ascii";
}

/** Responses that the APIs have in common. */
import { attachmentDisposition, isolatedHeaders, safeMediaType } from "../http/files/file-response.ts";
import { textResponse, type HttpResponse, type HttpResponseHeaders, jsonResponse } from "../http/http-response.ts";
import { smallResponseBytesMax, streamedBytes } from "../http/response-memory.ts";
import type { ByteRange, RawContent } from "../store/raw-content.ts";
import type { CatcherCall } from "./catcher.ts";
import type { OpenedMessage } from "../operations/services/reading/get-message.ts";
import { mainTurns } from "../core/shared-turns.ts";
import { textChunks } from "../http/wire/message-json.ts";

const plainText = "text/plain; charset=utf-8";

/** Header fields of a plain text in UTF-8. */
export const plainHeaders: HttpResponseHeaders = { "content-type": plainText };

/** Returns a plain text with a status. */
export function plainResponse(status: number, text: string): HttpResponse {
  return { ...textResponse(text, plainText), status };
}

/** Returns a response without content. */
export function emptyResponse(status: number): HttpResponse {
  return { status, headers: {}, body: [] };
}

/** Returns a redirection (302). */
export function redirect(location: string): HttpResponse {
  return { status: 302, headers: { location }, body: [] };
}

/** Returns a file that no browser renders as a page. */
export function fileResponse(fileName: string, contentType: string, bytes: Uint8Array): HttpResponse {
  const headers = {
    "content-type": safeMediaType(contentType),
    "content-disposition": attachmentDisposition(fileName),
    ...isolatedHeaders,
  };
  return { status: 200, headers, body: [bytes] };
}

/** Sends a mail, or a range of its bytes, while it is read. Rejects as reservations of memory do. */
export async function sendSource(
  { isHead, room }: Pick<CatcherCall, "isHead" | "room">,
  mail: RawContent,
  { headers, range }: { readonly headers: HttpResponseHeaders; readonly range?: ByteRange },
): Promise<HttpResponse> {
  const streamBytes = range === undefined ? mail.sizeBytes : range.last - range.first + 1;
  if (streamBytes > smallResponseBytesMax && !isHead) await room.reserve(Math.min(2 * streamBytes, streamedBytes));
  return { status: 200, headers, body: null, stream: mail.read(range), streamBytes };
}

/** JSON as written, or the content of a string in UTF-8 without its quotes, also in slices. */
export type JsonSegment = string | Uint8Array | Iterable<Uint8Array>;

/** Bytes of JSON that are joined before they are sent. */
const chunkBytesMin = 64 * 1024;

/**
 * Yields the bytes of JSON whose large strings are escaped in chunks, with a turn of the event loop between them. Bytes that
 * are not UTF-8 become U+FFFD.
 */
export async function* streamJson(
  segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>,
): AsyncGenerator<Uint8Array, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const segment of segments) {
    for (const chunk of chunksOf(segment)) {
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes < chunkBytesMin) continue;
      yield Buffer.concat(waiting);
      [waiting, bytes] = [[], 0];
      await mainTurns.next();
    }
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

function* chunksOf(segment: JsonSegment): Generator<Buffer, void> {
  if (typeof segment === "string") yield Buffer.from(segment, "utf8");
  else if (segment instanceof Uint8Array) yield* textChunks(segment);
  else yield* escapeSlices(segment);
}

/** Escapes a text in slices, whose ends may divide a character. */
function* escapeSlices(slices: Iterable<Uint8Array>): Generator<Buffer, void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const slice of slices) {
    yield Buffer.from(JSON.stringify(decoder.decode(slice, { stream: true })).slice(1, -1), "utf8");
  }
  yield Buffer.from(JSON.stringify(decoder.decode()).slice(1, -1), "utf8");
}

/** Returns 200 with JSON that is produced while it is sent. */
export function streamedJson(segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>): HttpResponse {
  return { ...jsonResponse(null), body: null, stream: streamJson(segments) };
}

/** Returns the content of a response that is written while it is sent; a small one as a whole, with its length. */
export async function contentOfStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizeBytes: number,
): Promise<Pick<HttpResponse, "body" | "stream">> {
  if (sizeBytes > smallResponseBytesMax) return { body: null, stream: chunks };
  return { body: await Array.fromAsync(chunks) };
}

/** Returns a body of a message in UTF-8; null when it has none. */
export function bodyOf({ message, texts }: OpenedMessage, name: "html" | "text"): Uint8Array | null {
  const { body } = message[name];
  return texts[name] ?? (body === null ? null : Buffer.from(body, "utf8"));
}

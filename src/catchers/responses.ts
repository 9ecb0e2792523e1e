/** Responses that the APIs have in common. */
import { attachmentDisposition } from "../http/files/file-response.ts";
import { safeMediaType } from "../http/files/file-response.ts";
import { textResponse, type HttpResponse, type HttpResponseHeaders } from "../http/http-response.ts";
import { smallResponseBytesMax, streamedBytes } from "../http/response-memory.ts";
import type { ByteRange, RawContent } from "../store/raw-content.ts";
import type { CatcherCall } from "./catcher.ts";

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
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
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

/** Returns the header fields of a mail that is downloaded as a file. */
export function downloadHeaders(id: string): HttpResponseHeaders {
  return { "content-type": "message/rfc822", "content-disposition": attachmentDisposition(`${id}.eml`) };
}

/** Responses in the form of smtp4dev. */
import type { Problem } from "../../core/errors.ts";
import { jsonResponse, textResponse, type HttpResponse } from "../../http/http-response.ts";
import { contentOfStream, streamJson, type JsonSegment } from "../json-stream.ts";
import type { PeerCall, UnmatchedRequest } from "../peer.ts";

const plain = "text/plain; charset=utf-8";

/** Response to a change. */
export const done: HttpResponse = { status: 200, headers: {}, body: [] };

/** Returns 200 with JSON that is produced while it is sent. */
export function streamed(segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>): HttpResponse {
  return { ...jsonResponse(null), body: null, stream: streamJson(segments) };
}

/**
 * Returns a text in UTF-8, which is produced while it is sent; as a string of JSON for clients that accept nothing else, as
 * generated ones do.
 */
export async function textOf(
  { headers }: Pick<PeerCall, "headers">,
  slices: Iterable<Uint8Array>,
  sizeBytes: number,
): Promise<HttpResponse> {
  const accepted = headers.accept ?? "*/*";
  if (/application\/json/i.test(accepted) && !/\*\/\*|text\/plain/i.test(accepted)) return streamed(['"', slices, '"']);
  return {
    status: 200,
    headers: { "content-type": plain },
    ...(await contentOfStream(slices, sizeBytes)),
  };
}

/** Returns an error with a text. */
export function failure(status: number, text: string): HttpResponse {
  return { ...textResponse(text, plain), status };
}

/** Returns the header fields and the body of an error: a text for unknown messages, else problem details (RFC 9457). */
export function toErrorBody(problem: Problem): Pick<HttpResponse, "headers" | "body"> {
  const { status } = problem.row;
  const fields = problem.fields.map(({ field, description }) => `${field}: ${description}`);
  const detail = [problem.message, ...fields].join("; ");
  const isMissing = problem.code === "not_found";
  const { headers, body } = isMissing ? failure(status, detail) : jsonResponse({ title: problem.code, status, detail });
  return {
    headers: isMissing ? headers : { "content-type": "application/problem+json; charset=utf-8" },
    body,
  };
}

/** Responds to endpoints that are not here; the web UI of smtp4dev is that of the service. */
export function respondUnmatched({ method, path, allowed, publicUrl }: UnmatchedRequest): HttpResponse {
  if (path === "/" && (method === "GET" || method === "HEAD")) {
    return { status: 302, headers: { location: `${publicUrl}/` }, body: [] };
  }
  const text = `restante does not have ${method.slice(0, 20)} ${path.slice(0, 200)} of smtp4dev`;
  if (allowed.length === 0) return failure(404, text);
  const { headers, body } = failure(405, text);
  return {
    status: 405,
    headers: { ...headers, allow: allowed.join(", ") },
    body,
  };
}

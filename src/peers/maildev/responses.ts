/** Responses in the form of MailDev. */
import type { Problem } from "../../core/errors.ts";
import { jsonResponse, textResponse, type HttpResponse } from "../../http/http-response.ts";
import type { JsonSegment } from "../json-stream.ts";
import { streamJson } from "../json-stream.ts";
import type { UnmatchedRequest } from "../peer.ts";

/** Response to a change. */
export const done: HttpResponse = jsonResponse(true);

/** Returns 200 with JSON that is produced while it is sent. */
export function streamed(segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>): HttpResponse {
  return { ...jsonResponse(null), body: null, stream: streamJson(segments) };
}

/** Returns an error with a text. */
export function failure(status: number, error: string): HttpResponse {
  return { ...jsonResponse({ error }), status };
}

/** Returns the header fields and the body of an error. */
export function toErrorBody(problem: Problem): Pick<HttpResponse, "headers" | "body"> {
  const fields = problem.fields.map(({ field, description }) => `${field}: ${description}`);
  const isMessage = problem.code === "not_found" && problem.message !== "Server not found";
  const text = isMessage ? "Email was not found" : [problem.message, ...fields].join("; ");
  const { headers, body } = jsonResponse({ error: text });
  return { headers, body };
}

/** Responds as MailDev does; its web UI is that of the service. */
export function respondUnmatched({ method, path, publicUrl }: UnmatchedRequest): HttpResponse {
  if (path === "/" && (method === "GET" || method === "HEAD")) {
    return { status: 302, headers: { location: `${publicUrl}/` }, body: [] };
  }
  return { ...textResponse(`Cannot ${method} ${path.slice(0, 200)}\n`, "text/plain; charset=utf-8"), status: 404 };
}

/** Responses in the form of MailHog. */
import type { Problem } from "../../core/errors.ts";
import { textResponse, type HttpResponse } from "../../http/http-response.ts";
import type { UnmatchedRequest } from "../peer.ts";

/** Type of most responses with JSON. */
export const textJson = "text/json";

/** Returns 200 with JSON that is produced while it is sent. */
export function streamed(chunks: AsyncIterable<Uint8Array>, contentType: string): HttpResponse {
  return { status: 200, headers: { "content-type": contentType }, body: null, stream: chunks };
}

/** Returns 200 with a JSON value. */
export function json(value: unknown, contentType = "application/json"): HttpResponse {
  return textResponse(JSON.stringify(value), contentType);
}

/** Returns a response without content. */
export function empty(status: number): HttpResponse {
  return { status, headers: {}, body: [] };
}

/** Returns the header fields and the body of an error. */
export function toErrorBody(problem: Problem): Pick<HttpResponse, "headers" | "body"> {
  const fields = problem.fields.map(({ field, description }) => `${field}: ${description}`);
  const text = problem.code === "not_found" ? "404 page not found" : [problem.message, ...fields].join("; ");
  const { headers, body } = textResponse(`${text}\n`, "text/plain; charset=utf-8");
  return { headers, body };
}

/** Responds as MailHog does; its web UI is that of the service. */
export function respondUnmatched({ method, path, allowed, publicUrl }: UnmatchedRequest): HttpResponse {
  if (method === "OPTIONS" && path.startsWith("/api/")) return empty(200);
  if (path === "/" && (method === "GET" || method === "HEAD")) {
    return { status: 302, headers: { location: `${publicUrl}/` }, body: [] };
  }
  if (allowed.length > 0) return { ...empty(405), headers: { allow: allowed.join(", ") } };
  return { ...textResponse("404 page not found\n", "text/plain; charset=utf-8"), status: 404 };
}

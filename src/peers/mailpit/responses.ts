/** Responses in the form of Mailpit. */
import type { Problem } from "../../core/errors.ts";
import { contentOfStream } from "../json-stream.ts";
import { jsonResponse, textResponse, type HttpResponse } from "../../http/http-response.ts";

/** Response to a change. */
export const ok: HttpResponse = textResponse("ok", "text/plain");

/** Returns 200 with a JSON value, which ends with a line feed as Go's encoder writes it. */
export function json(value: unknown): HttpResponse {
  const response = jsonResponse(value);
  return {
    ...response,
    headers: { "content-type": "application/json" },
    body: [...(response.body ?? []), Buffer.from("\n")],
  };
}

/** Returns 200 with content that is written while it is sent; `sizeBytes` decides whether it has its length. */
export async function streamed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { contentType, sizeBytes }: { readonly contentType: string; readonly sizeBytes: number },
): Promise<HttpResponse> {
  return { status: 200, headers: { "content-type": contentType }, ...(await contentOfStream(chunks, sizeBytes)) };
}

/** Returns an error with a text. */
export function failure(status: number, text: string): HttpResponse {
  return { ...textResponse(text, "text/plain; charset=utf-8"), status };
}

/** Text of a 404. */
const notFoundText = "404 page not found";

/** Response to a path or a message that does not exist. */
export const notFoundResponse: HttpResponse = failure(404, notFoundText);

/** Returns the header fields and the body of an error. */
export function toErrorBody(problem: Problem): Pick<HttpResponse, "headers" | "body"> {
  const { headers, body } = failure(problem.row.status, textOf(problem));
  return { headers, body };
}

function textOf(problem: Problem): string {
  if (problem.code === "not_found") return problem.message === "Server not found" ? problem.message : notFoundText;
  if (problem.code === "unauthenticated") return "Unauthorized.\n";
  const fields = problem.fields.map(({ field, description }) => `${field}: ${description}`);
  return [problem.message, ...fields].join("; ");
}

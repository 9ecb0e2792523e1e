/** Responses of routes. Only `send-response.ts` knows how they are written to the connection. */

/** Header fields by their lower-case names. */
export type HttpResponseHeaders = Readonly<Record<string, string>>;

/**
 * A complete response. `body` is the content in chunks, which are written in order without being joined first; null
 * when the status has none.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpResponseHeaders;
  readonly body: readonly Uint8Array[] | null;
  /** Values of fields `Set-Cookie` beside the one of `headers`. */
  readonly cookies?: readonly string[];
  /** Whether nothing else refers to the memory of `body`, which is freed when the connection has taken it. */
  readonly freesBody?: boolean;
  /** Content that is produced while it is sent, instead of a body. */
  readonly stream?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Length of `stream` in bytes, if it is known in advance. */
  readonly streamBytes?: number;
}

/** Content-Type of every JSON response, as the official libraries expect it. */
export const jsonType = "application/json; charset=utf-8";

const jsonHeaders: HttpResponseHeaders = { "content-type": jsonType };

/** Response 204 without content. */
export const noContent: HttpResponse = { status: 204, headers: {}, body: null };

/** Returns 200 with a JSON value. */
export function jsonResponse(value: unknown): HttpResponse {
  return { status: 200, headers: jsonHeaders, body: [Buffer.from(JSON.stringify(value), "utf8")] };
}

/** Returns 200 with JSON that is written chunk by chunk, without a Content-Length. */
export function jsonStreamResponse(chunks: Iterable<Uint8Array>): HttpResponse {
  return { status: 200, headers: jsonHeaders, body: null, stream: chunks };
}

/** Returns 200 with plain text. */
export function textResponse(text: string, contentType: string): HttpResponse {
  return { status: 200, headers: { "content-type": contentType }, body: [Buffer.from(text, "utf8")] };
}

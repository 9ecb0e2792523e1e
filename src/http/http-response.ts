/** What routes hand back. Only `send-response.ts` knows how it gets onto the wire. */

/** Header fields by their lower-case names. */
export type HttpResponseHeaders = Readonly<Record<string, string>>;

/**
 * A complete answer. `body` is the content in chunks, which are written one behind the other without being copied
 * together first; null where the status has none.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpResponseHeaders;
  readonly body: readonly Uint8Array[] | null;
  /** Instead of a body: content that comes bit by bit, as long as the caller stays. */
  readonly stream?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Length of `stream`, where it is known before. */
  readonly streamBytes?: number;
}

/** Content-Type of every JSON answer, as the official libraries expect it. */
export const jsonType = "application/json; charset=utf-8";

const jsonHeaders: HttpResponseHeaders = { "content-type": jsonType };

/** 204: done, and nothing to say. */
export const noContent: HttpResponse = { status: 204, headers: {}, body: null };

/** 200 with a JSON value. */
export function jsonResponse(value: unknown): HttpResponse {
  return { status: 200, headers: jsonHeaders, body: [Buffer.from(JSON.stringify(value), "utf8")] };
}

/** 200 with JSON that is written chunk by chunk, without its length. */
export function jsonStreamResponse(chunks: Iterable<Uint8Array>): HttpResponse {
  return { status: 200, headers: jsonHeaders, body: null, stream: chunks };
}

/** 200 with plain text. */
export function textResponse(text: string, contentType: string): HttpResponse {
  return { status: 200, headers: { "content-type": contentType }, body: [Buffer.from(text, "utf8")] };
}

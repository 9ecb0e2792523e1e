import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";

/** How an answer leaves. */
export interface Delivery {
  /** Whether the request was HEAD: header fields as for GET, and no body (RFC 9110 §9.3.2). */
  readonly isHead: boolean;
  /** Whether the connection ends with this answer. */
  readonly isLast: boolean;
}

/**
 * Writes an answer: whole and with its length, or as it comes; never compressed, never to be cached unless it says else,
 * and never to be taken for another type than it says. Resolves when all is written.
 */
export async function sendAnswer(response: ServerResponse, answer: Answer, delivery: Delivery): Promise<void> {
  const { status, headers, body, stream } = answer;
  const fields: string[] = ["x-content-type-options", "nosniff"];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  if (headers["cache-control"] === undefined) fields.push("cache-control", "no-store");
  if (body !== null) fields.push("content-length", String(lengthOf(body)));
  if (delivery.isLast) fields.push("connection", "close");
  // Corked, the header section and all pieces of the body leave in one system call.
  response.cork();
  response.writeHead(status, fields);
  if (body !== null && !delivery.isHead) for (const piece of body) response.write(piece);
  response.uncork();
  if (stream !== undefined && !delivery.isHead) await sendStream(response, stream);
  response.end();
}

/** Writes no faster than the caller reads; ends with the stream or with the caller. */
async function sendStream(response: ServerResponse, stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve).once("close", resolve);
    });
  }
}

function lengthOf(body: readonly Uint8Array[]): number {
  let length = 0;
  for (const piece of body) length += piece.byteLength;
  return length;
}

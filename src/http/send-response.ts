import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { freeMemory } from "../core/process-resources.ts";
import type { HttpResponse } from "./http-response.ts";
import { smallResponseBytesMax, type ResponseMemory } from "./response-memory.ts";

/** Options for sending a response. */
export interface Delivery {
  /** Whether the request was HEAD: header fields as for GET, and no body (RFC 9110 §9.3.2). */
  readonly isHead: boolean;
  /** Whether the connection is closed after this response. */
  readonly isLast: boolean;
  readonly clock: Pick<Clock, "after">;
  /** Time in which the client must accept each chunk, in milliseconds; the connection is closed afterwards. */
  readonly writeMsMax: number;
  readonly room: ResponseMemory;
}

/** Bytes of a large body that are handed to the connection at a time. */
const chunkBytes = 256 * 1024;

/**
 * Writes a response, either whole with its length or as it is produced. Responses are never compressed, never cacheable
 * unless they say so, and never sniffed for another type. Large bodies are written no faster than the client reads.
 * Resolves when everything is written or the client has disconnected; memory is released when the connection has
 * taken everything.
 */
export async function sendResponse(response: ServerResponse, answer: HttpResponse, delivery: Delivery): Promise<void> {
  const { status, body, stream } = answer;
  const fields = fieldsOf(answer, delivery);
  if (delivery.isHead || (stream === undefined && lengthOf(body ?? []) <= smallResponseBytesMax)) {
    // Corked, the header section and all chunks of the body are sent in one system call.
    response.cork();
    response.writeHead(status, fields);
    if (!delivery.isHead) for (const chunk of body ?? []) response.write(chunk);
    response.uncork();
    response.end();
  } else {
    response.writeHead(status, fields);
    if (await writeChunks(response, stream ?? chunksOf(body ?? []), delivery)) response.end();
  }
  const letGo = (): void => {
    // A connection that was destroyed may still hold what it had not sent.
    if (answer.freesBody === true && !response.destroyed) for (const chunk of body ?? []) freeMemory(chunk);
    delivery.room.release();
  };
  closeUnlessTaken(response, delivery, letGo);
}

/** Writes a response to a socket that has left its HTTP parser, and closes it. */
export function endSocket(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const content = Buffer.concat(body ?? []);
  const fields = Object.entries({ ...headers, "content-length": String(content.length), connection: "close" });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`);
  socket.end(content, () => socket.destroy());
}

function fieldsOf({ headers, body, cookies, streamBytes }: HttpResponse, { isLast }: Delivery): string[] {
  const fields: string[] = ["x-content-type-options", "nosniff"];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  for (const cookie of cookies ?? []) fields.push("set-cookie", cookie);
  if (headers["cache-control"] === undefined) fields.push("cache-control", "no-store");
  const length = body === null ? streamBytes : lengthOf(body);
  if (length !== undefined) fields.push("content-length", String(length));
  if (isLast) fields.push("connection", "close");
  return fields;
}

/** Returns the length of a body in bytes. */
export function lengthOf(body: readonly Uint8Array[]): number {
  let length = 0;
  for (const chunk of body) length += chunk.byteLength;
  return length;
}

function* chunksOf(body: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const bytes of body) {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
}

/** Writes no faster than the client reads; returns false when the client has disconnected or was cut off. */
async function writeChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  delivery: Delivery,
): Promise<boolean> {
  let bytes = 0;
  for await (const chunk of chunks) {
    if (response.destroyed) return false;
    if (!response.write(chunk)) await drained(response, delivery);
    bytes += chunk.byteLength;
    if (bytes < chunkBytes) continue;
    // A fast client on this machine drains the connection without a turn of the event loop.
    bytes = 0;
    await nextTurn();
  }
  return !response.destroyed;
}

/** Resolves when the client has read on or the connection is closed, which happens after `writeMsMax`. */
async function drained(response: ServerResponse, { clock, writeMsMax }: Delivery): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(writeMsMax, () => response.destroy());
    const settle = (): void => {
      cancel();
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

/** Calls `release` when the connection has taken a response, and cuts off a client that stops reading. */
function closeUnlessTaken(response: ServerResponse, { clock, writeMsMax }: Delivery, release: () => void): void {
  if (response.destroyed || response.writableFinished || (response.socket?.writableLength ?? 0) === 0) {
    release();
    return;
  }
  const cancel = clock.after(writeMsMax, () => response.destroy());
  const settle = (): void => {
    cancel();
    response.off("finish", settle).off("close", settle);
    release();
  };
  response.on("finish", settle).on("close", settle);
}

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ByteHold } from "../core/byte-budget.ts";
import { watchArrival, contentArrival } from "../core/arrival-rate.ts";
import type { Clock } from "../core/clock.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { joinAndFree } from "../core/process-resources.ts";

/** The client disconnected before the end of its request; no response is possible. */
export class RequestAborted extends Error {
  override readonly name: string = "RequestAborted";
}

/** The connection is closed without a response, as a fault rule says. */
export class ConnectionDropped extends Error {
  override readonly name: string = "ConnectionDropped";
}

const empty = Buffer.alloc(0);

/** Returns whether the body of a request has the content coding gzip, which {@link readBody} decodes. */
export function isGzipped({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return /^(?:x-)?gzip$/i.test(headers["content-encoding"]?.trim() ?? "");
}

/** Resources of reading a body. */
export interface BodyOptions {
  /** Limit of the body as it arrives, and of the decoded one. */
  readonly bytesMax: number;
  /** Takes the bytes that have arrived, not those that are declared: a connection that sends nothing costs nothing. */
  readonly hold: ByteHold;
  readonly clock: Pick<Clock, "after">;
  /** Closes the connection after the response. */
  readonly endConnection: () => void;
  /** Waits until there is memory for what is made of so many bytes. */
  readonly admit: (bytes: number) => Promise<void>;
}

/**
 * Reads the body of a request, without the content coding gzip. Rejects with a 400 on `body` for invalid gzip, and with
 * `body_too_large` as soon as it is known to exceed `bytesMax`: a declared length is checked before anything is read, and
 * never more than `bytesMax` is held, nor decoded. Rejects with `too_many_requests`
 * when there is no memory for it, and with `request_timeout` when it arrives slower than `contentArrival`. The rest of a body
 * that is rejected otherwise is read and dropped, so that the connection stays usable and the client can read the response.
 * Rejects as `admit` does, which is called with the bytes of a body that has arrived.
 */
export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const declared = request.headers["content-length"];
  if (declared === "0" || (declared === undefined && request.headers["transfer-encoding"] === undefined)) return empty;
  if (Number(declared ?? 0) > options.bytesMax) throw new Problem("body_too_large");
  const chunks = await readChunks(request, options);
  await options.admit(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  return chunks.length === 1 ? (chunks[0] ?? empty) : joinAndFree(chunks);
}

async function readChunks(
  request: IncomingMessage,
  { bytesMax, hold, clock, endConnection }: BodyOptions,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isRejected = false;
    let isEnded = false;
    const gunzip = isGzipped(request) ? request.pipe(createGunzip()) : null;
    const content: Readable = gunzip ?? request;
    const rejectBody = (problem: Problem): void => {
      isRejected = true;
      stopWatching();
      chunks.length = 0;
      hold.release();
      gunzip?.destroy();
      request.resume();
      reject(problem);
    };
    // Most bodies arrive with the header section, and need no timer.
    const turn = setImmediate(() => {
      stopWatching = watchArrival(clock, contentArrival, {
        bytesArrived: () => size,
        onTooSlow: () => {
          endConnection();
          rejectBody(new Problem("request_timeout"));
        },
      });
    });
    let stopWatching = (): void => {
      clearImmediate(turn);
    };
    content.on("data", (chunk: Buffer) => {
      if (isRejected) return;
      size += chunk.byteLength;
      if (size > bytesMax) rejectBody(new Problem("body_too_large"));
      else if (!hold.take(chunk.byteLength)) rejectBody(overloaded());
      else chunks.push(chunk);
    });
    content.once("end", () => {
      isEnded = true;
      stopWatching();
      resolve(chunks);
    });
    gunzip?.once("error", () => {
      rejectBody(invalidField("body", "Not valid gzip"));
    });
    request.once("error", () => {
      reject(new RequestAborted());
    });
    request.once("close", () => {
      stopWatching();
      // An error records a stack, which takes longer than the rest of reading a small body.
      if (!isEnded && !request.complete) reject(new RequestAborted());
    });
  });
}

function overloaded(): Problem {
  const text = "Too many request bodies are in memory; retry later";
  return new Problem("too_many_requests", { text, retryAfterSeconds: 1 });
}

import type { IncomingMessage } from "node:http";
import type { ByteHold } from "../core/byte-budget.ts";
import { Problem } from "../core/errors.ts";

/** The client disconnected before the end of its request; no response is possible. */
export class RequestAborted extends Error {
  override readonly name: string = "RequestAborted";
}

/** The connection is closed without a response, as a fault rule says. */
export class ConnectionDropped extends Error {
  override readonly name: string = "ConnectionDropped";
}

const empty = Buffer.alloc(0);

/**
 * Reads the body of a request. Rejects with `body_too_large` as soon as it is known to exceed `bytesMax`: a declared
 * length is checked before anything is read, and never more than `bytesMax` is held. Rejects with `too_many_requests`
 * when there is no memory for it. The rest of a rejected body is read and dropped, so that the connection stays usable
 * and the client can read the response.
 */
export async function readBody(
  request: IncomingMessage,
  { bytesMax, hold }: { readonly bytesMax: number; readonly hold: ByteHold },
): Promise<Buffer> {
  const declared = request.headers["content-length"];
  if (declared === "0" || (declared === undefined && request.headers["transfer-encoding"] === undefined)) return empty;
  const declaredBytes = Number(declared ?? 0);
  if (declaredBytes > bytesMax) throw new Problem("body_too_large");
  // Reserved as a whole: otherwise bodies that fill the memory together would all be rejected halfway.
  if (!hold.take(declaredBytes)) throw overloaded();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isRejected = false;
    let isEnded = false;
    const rejectBody = (problem: Problem): void => {
      isRejected = true;
      chunks.length = 0;
      hold.release();
      reject(problem);
    };
    request.on("data", (chunk: Buffer) => {
      if (isRejected) return;
      size += chunk.byteLength;
      if (size > bytesMax) rejectBody(new Problem("body_too_large"));
      else if (size > declaredBytes && !hold.take(chunk.byteLength)) rejectBody(overloaded());
      else chunks.push(chunk);
    });
    request.once("end", () => {
      isEnded = true;
      resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks));
    });
    request.once("error", () => {
      reject(new RequestAborted());
    });
    request.once("close", () => {
      // An error records a stack, which takes longer than the rest of reading a small body.
      if (!isEnded) reject(new RequestAborted());
    });
  });
}

function overloaded(): Problem {
  const text = "Too many request bodies are in memory; retry later";
  return new Problem("too_many_requests", { text, retryAfterSeconds: 1 });
}

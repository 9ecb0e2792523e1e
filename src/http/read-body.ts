import type { IncomingMessage } from "node:http";
import type { ByteHold } from "../core/byte-budget.ts";
import { Problem } from "../core/errors.ts";

/** The request ended before its body did; nobody is left to be answered. */
export class RequestAborted extends Error {
  override readonly name: string = "RequestAborted";
}

const empty = Buffer.alloc(0);

/**
 * The bytes of a request's body. Rejects with `body_too_large` as soon as it is known that they are more than
 * `bytesMax`: a declared length is believed before anything is read, and never more than `bytesMax` is held. Rejects with
 * `unavailable` when there is no room for it in memory, and holds none then. What is refused is read on and dropped, so
 * that the connection stays usable and the sender can read the answer.
 */
export async function readBody(
  request: IncomingMessage,
  { bytesMax, hold }: { readonly bytesMax: number; readonly hold: ByteHold },
): Promise<Buffer> {
  const declared = request.headers["content-length"];
  if (declared === "0" || (declared === undefined && request.headers["transfer-encoding"] === undefined)) return empty;
  if (Number(declared ?? 0) > bytesMax) throw new Problem("body_too_large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const refuse = (problem: Problem): void => {
      isRefused = true;
      chunks.length = 0;
      hold.release();
      reject(problem);
    };
    request.on("data", (chunk: Buffer) => {
      if (isRefused) return;
      size += chunk.byteLength;
      if (size > bytesMax) refuse(new Problem("body_too_large"));
      else if (!hold.take(chunk.byteLength)) refuse(new Problem("unavailable", { retryAfterSeconds: 1 }));
      else chunks.push(chunk);
    });
    request.once("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks));
    });
    request.once("error", () => {
      reject(new RequestAborted());
    });
    request.once("close", () => {
      reject(new RequestAborted());
    });
  });
}

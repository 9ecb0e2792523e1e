import type { IncomingMessage } from "node:http";
import type { Clock } from "../core/clock.ts";

/** Bounds of a body that is discarded. */
export interface DiscardBounds {
  readonly msMax: number;
  readonly bytesMax: number;
}

/**
 * Reads and discards the body of a response; a long or slow one closes the connection. Resolves when the response has ended,
 * however it did, with whether the whole body was read.
 */
export async function discardBody(
  response: IncomingMessage,
  clock: Pick<Clock, "after">,
  { msMax, bytesMax }: DiscardBounds,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(msMax, () => response.destroy());
  let size = 0;
  response.on("data", (chunk: Uint8Array) => {
    size += chunk.byteLength;
    if (size > bytesMax) response.destroy();
  });
  // `complete` shows that the body was cut off.
  response.on("error", () => undefined);
  response.on("close", resolve);
  await promise;
  cancel();
  return response.complete && size <= bytesMax;
}

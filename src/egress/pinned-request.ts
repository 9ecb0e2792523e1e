/** Requests to checked addresses, and reading of their responses within bounds. */
import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { Clock } from "../core/clock.ts";
import { pinnedLookup } from "./resolve-host.ts";

const headerBytesMax = 16 * 1024;

/** Opens a request by HTTP or HTTPS, whose response may have a header section of 16 KiB. */
export function openRequest(target: URL, options: RequestOptions): ClientRequest {
  const open = target.protocol === "https:" ? httpsRequest : httpRequest;
  return open(target, { ...options, maxHeaderSize: headerBytesMax });
}

/** Request to an address that was checked for its host. */
export interface PinnedRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly signal: AbortSignal;
  readonly target: URL;
  readonly address: string;
  readonly body?: Uint8Array | string | null;
}

/** Sends a request over a connection of its own to the checked address. Resolves with its response, whose body is not read. */
export async function sendPinned({ target, address, body, ...options }: PinnedRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = openRequest(target, { ...options, agent: false, lookup: pinnedLookup(address) });
  outgoing.on("response", resolve);
  outgoing.on("error", reject);
  outgoing.end(body ?? undefined);
  return promise;
}

/** Bounds of a body, and its reader. */
export interface BodyBounds {
  readonly msMax: number;
  readonly bytesMax: number;
  /** Takes the next bytes within the bounds; returns whether to go on. The body is discarded by default. */
  readonly take?: (chunk: Uint8Array) => boolean;
}

/**
 * Reads the body of a response; a long or slow one closes the connection. Resolves when the response has ended, however it did,
 * with whether the whole body was read.
 */
export async function readBody(
  response: IncomingMessage,
  clock: Pick<Clock, "after">,
  { msMax, bytesMax, take = () => true }: BodyBounds,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(msMax, () => response.destroy());
  let size = 0;
  let isTaken = true;
  response.on("data", (chunk: Uint8Array) => {
    size += chunk.byteLength;
    isTaken &&= size <= bytesMax && take(chunk);
    if (!isTaken) response.destroy();
  });
  // `complete` shows that the body was cut off.
  response.on("error", () => undefined);
  response.on("close", resolve);
  await promise;
  cancel();
  return response.complete && isTaken;
}

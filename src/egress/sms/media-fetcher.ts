/** Fetching media of SMS, as a provider would before it sends them. */
import type { IncomingMessage } from "node:http";
import { readBody } from "../pinned-request.ts";
import { ScannerClient, type ScannerClientDependencies } from "../scanner/scanner-client.ts";

/** Content at a URL, or why it was not fetched. */
export type MediaResult = { readonly contentType: string; readonly bytes: Uint8Array } | { readonly refusal: string };

/** Fetches a URL, at most `bytesMax` bytes; never rejects. */
export type MediaFetcher = (url: string, bytesMax: number) => Promise<MediaResult>;

/** Time for one body. */
const bodyMsMax = 5000;
const userAgent = "restante media fetch";
const mediaType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}/;

/**
 * Creates the fetcher: GET without credentials and redirects, each checked by the policy. No own listener is called, so that an
 * SMS cannot contain what the API of this service returns to its machine.
 */
export function createMediaFetcher(dependencies: ScannerClientDependencies): MediaFetcher {
  const client = new ScannerClient(dependencies);
  return async (url, bytesMax) => {
    const chunks: Uint8Array[] = [];
    const take = (chunk: Uint8Array): boolean => chunks.push(chunk) > 0;
    const read = (response: IncomingMessage): Promise<boolean> =>
      readBody(response, dependencies.clock, { msMax: bodyMsMax, bytesMax, take });
    const signal = new AbortController().signal;
    const request = { url, userAgent, signal, method: "GET", headers: { accept: "*/*" }, body: null, resource: null };
    const { request: ended, response } = await client.send({ ...request, read });
    if (ended.error !== null || response === null) {
      return { refusal: ended.error ?? "The body was too long or too slow" };
    }
    if (ended.status !== 200) return { refusal: `The response had status ${String(ended.status)}` };
    return { contentType: contentTypeOf(response.rawHeaders), bytes: Buffer.concat(chunks) };
  };
}

function contentTypeOf(rawHeaders: readonly string[]): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "content-type");
  return mediaType.exec(rawHeaders[at + 1] ?? "")?.[0].toLowerCase() ?? "application/octet-stream";
}

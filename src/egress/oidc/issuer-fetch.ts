/** Requests to OpenID providers. The operator has configured their URLs, so no policy applies to them, but limits of time and size. */
import type { Clock } from "../../core/clock.ts";

/** Longest request to an issuer, in milliseconds. */
export const issuerRequestMsMax = 10_000;
/** Largest response of an issuer, in bytes. */
export const issuerResponseBytesMax: number = 1024 * 1024;
/** Time after a failure for which documents are not requested again, in milliseconds. */
export const issuerPauseMs = 5000;

/** Function like `fetch`, to which the libraries pass plain options. */
export type IssuerFetch = (url: string, options?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` with limits of time and of size. It follows no redirects, and uses the proxy that Node is configured with
 * (`NODE_USE_ENV_PROXY`). Documents that anyone can cause a request for (metadata and keys: GET without credentials) are not
 * requested for {@link issuerPauseMs} after a failure.
 */
export function createIssuerFetch(clock: Pick<Clock, "monotonicMs">): IssuerFetch {
  const failures = new Map<string, { readonly at: number; readonly error: unknown }>();
  const request = async (url: string, options: RequestInit): Promise<Response> => {
    const own = AbortSignal.timeout(issuerRequestMsMax);
    const signal = options.signal ? AbortSignal.any([own, options.signal]) : own;
    const response = await fetch(url, { ...options, signal, redirect: "manual" });
    const { status, headers } = response;
    const bytes = await readLimited(response);
    return new Response(status === 204 || status === 304 ? null : bytes, {
      status: status === 0 ? 502 : status,
      headers,
    });
  };
  return async (url, options = {}) => {
    const isDocument = (options.method ?? "GET") === "GET" && !new Headers(options.headers).has("authorization");
    if (!isDocument) return request(url, options);
    const failure = failures.get(url);
    if (failure !== undefined && clock.monotonicMs() - failure.at < issuerPauseMs) throw failure.error;
    try {
      const response = await request(url, options);
      if (response.status !== 200) throw new Error(`${new URL(url).host} answered with the status ${response.status}`);
      failures.delete(url);
      return response;
    } catch (error) {
      failures.set(url, { at: clock.monotonicMs(), error });
      throw error;
    }
  };
}

async function readLimited({ body, url }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > issuerResponseBytesMax) throw new Error(`the response of ${new URL(url).host} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

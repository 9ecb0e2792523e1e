/** Requests to URLs that the operator has configured, with limits of time and size. They follow no redirects. */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Clock } from "../core/clock.ts";
import { openRequest, readBody } from "./pinned-request.ts";
import { pinnedLookup } from "./resolve-host.ts";

/** Request with its limits. */
export interface LimitedRequest {
  readonly method: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  /** Time for the whole request. */
  readonly msMax: number;
  /** Size of the body of the response. */
  readonly bytesMax: number;
  /** Address to connect to; that of the host by the resolver of the system by default. */
  readonly address?: string;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Trusted certificates in PEM, which replace the public roots. */
  readonly ca?: string | null;
}

/** Complete response. */
export interface LimitedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request over a connection of its own. Rejects with an `Error` that names the host where a limit is exceeded. */
export async function requestWithin(
  url: URL,
  { method, headers = {}, body, msMax, bytesMax, address, signal, ca = null }: LimitedRequest,
  clock: Pick<Clock, "after">,
): Promise<LimitedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const cancel = clock.after(msMax, () => {
    outgoing.destroy(new Error(`${url.host} did not answer within ${String(msMax)} ms`));
  });
  const lookup = address === undefined ? {} : { lookup: pinnedLookup(address) };
  const optional = { ...(ca !== null && { ca }), ...(signal && { signal }), ...lookup };
  const outgoing = openRequest(url, { method, headers, agent: false, ...optional });
  outgoing.on("response", resolve);
  outgoing.on("error", reject);
  outgoing.end(body);
  try {
    const response = await promise;
    const chunks: Uint8Array[] = [];
    const take = (chunk: Uint8Array): boolean => chunks.push(chunk) > 0;
    const isWhole = await readBody(response, clock, { msMax, bytesMax, take });
    if (!isWhole)
      throw new Error(`the response of ${url.host} is incomplete, or larger than ${String(bytesMax)} bytes`);
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  } finally {
    cancel();
  }
}

/** Time-out of a policy, and the size that senders accept (RFC 8461 §3.3). */
const policyBounds = { msMax: 10_000, bytesMax: 64 * 1024 } as const;

/** Policy to fetch. */
interface ServedPolicy {
  readonly url: string;
  /** Address of the host of the URL. */
  readonly address: string;
  /** Trusted certificates in PEM, which replace the public roots; null, by default: the public roots. */
  readonly ca?: string | null;
}

/** Returns the text at an HTTPS URL, as senders of mail read MTA-STS policies: without following redirects. Rejects with the reason. */
export async function fetchPolicy(
  { url, address, ca = null }: ServedPolicy,
  clock: Pick<Clock, "after">,
): Promise<string> {
  const { status, body } = await requestWithin(new URL(url), { method: "GET", address, ca, ...policyBounds }, clock);
  if (status !== 200) throw new Error(`the status is ${String(status)}, not 200`);
  return body.toString("utf8");
}

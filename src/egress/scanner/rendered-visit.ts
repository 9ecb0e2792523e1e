/** Visits of scanners that render pages: a browser without network, whose requests the client of scanners sends. */
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import type { PageRequest, PageResponse, RenderPage } from "../../core/page-request.ts";
import type { ScanRequest } from "../../core/scanner.ts";
import { readBody } from "../pinned-request.ts";
import { shownRequest, type ScannerClient, type ScannerFetch, type ScannerVisit } from "./scanner-client.ts";

/** Dependencies of {@link visitRendered}. */
export interface RenderedVisitDependencies {
  readonly client: Pick<ScannerClient, "send">;
  readonly render: RenderPage;
  readonly clock: Pick<Clock, "after">;
}

/** Limits of one visit, besides its time. */
const requestCountMax = 200;
const bytesMax = 20 * 1024 * 1024;
const responseBytesMax = 5 * 1024 * 1024;
const bodyMsMax = 5000;
const requestBodyBytesMax = 64 * 1024;
/** Redirects that are followed: of one resource, and of documents in the whole visit. */
const redirectCountMax = 5;
/** Requests of a page at the same time, as a browser sends to one host; further ones are queued. */
const parallel = { runningCountMax: 6, waitingPerKeyCountMax: requestCountMax, waitingCountMax: requestCountMax };

/** Fields of a request that go to any allowed origin; those that scripts set go to the page's own origin only. */
const plainFields: ReadonlySet<string> = new Set(["accept", "accept-language", "content-type", "referer"]);
const droppedFields =
  /^(?:host|connection|content-length|cookie|origin|accept-encoding|transfer-encoding|upgrade|te|trailer|expect|keep-alive|cdn-loop|user-agent|proxy-.*|sec-.*|:.*)$/;

/** Opens a URL in a browser and reports every request of the page. Never rejects. */
export async function visitRendered(dependencies: RenderedVisitDependencies, visit: ScannerVisit): Promise<void> {
  const page = new PageRequests(dependencies, visit);
  const { server: key, url, userAgent, signal } = visit;
  const reason = await dependencies.render({ key, url, userAgent, signal, fetch: (request) => page.send(request) });
  await page.close();
  if (reason === null) return;
  const request = { method: visit.method, resource: "document", url, status: null, durationMs: 0, redirect: null };
  visit.onRequest(shownRequest({ ...request, error: reason }, null));
}

/** Requests of one page. */
class PageRequests {
  readonly #dependencies: RenderedVisitDependencies;
  readonly #visit: ScannerVisit;
  readonly #queue = new FairQueue(parallel);
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  #count = 0;
  #bytes = 0;
  #documentRedirectCount = 0;
  #isEnded = false;

  constructor(dependencies: RenderedVisitDependencies, visit: ScannerVisit) {
    this.#dependencies = dependencies;
    this.#visit = visit;
    this.#signal = AbortSignal.any([visit.signal, this.#closing.signal]);
  }

  /** Ends the requests that have no response yet; resolves when they are reported. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  /** Sends a request of the page, and those to which its redirects lead. Returns null when it is refused or fails. */
  async send(request: PageRequest): Promise<PageResponse | null> {
    if (this.#isEnded || this.#signal.aborted) return null;
    const refusal = this.#refusalOf(request);
    this.#count += 1;
    if (refusal !== null) {
      const { method, resource, url } = request;
      const unsent = { method, resource, url, status: null, durationMs: 0, redirect: null, error: refusal };
      this.#report(unsent, null);
      return null;
    }
    // Only the end of the visit rejects, while the request waits.
    const sent = this.#queue.run("page", () => this.#follow(request), this.#signal).catch(() => null);
    this.#running.add(sent);
    const response = await sent;
    this.#running.delete(sent);
    return response;
  }

  #refusalOf({ refusal, method, url, pageOrigin, body }: PageRequest): string | null {
    if (refusal !== null) return refusal;
    if (this.#count >= requestCountMax) return `The page makes more than ${String(requestCountMax)} requests`;
    if (this.#bytes >= bytesMax) return "The page loads more than 20 MiB";
    if (isSafe(method)) return null;
    if (URL.parse(url)?.origin !== pageOrigin) return `Scanners send ${method} to the origin of the page only`;
    return body !== null && body.byteLength > requestBodyBytesMax ? "The body is longer than 64 KiB" : null;
  }

  async #follow(request: PageRequest): Promise<PageResponse | null> {
    let { url } = request;
    let isReadable = true;
    for (let redirectCount = 0; ; redirectCount += 1) {
      const hop = await this.#hop(request, url, redirectCount);
      if (hop === null) return null;
      isReadable &&= mayRead(request, url, hop.headers);
      if (hop.redirect === null) return isReadable ? hop : null;
      if (request.resource === "document") return hop;
      url = hop.redirect;
    }
  }

  /** Sends one request; returns null when it fails, is refused, or leads to where the page may not go. */
  async #hop(request: PageRequest, url: string, redirectCount: number): Promise<PageResponse | null> {
    const chunks: Uint8Array[] = [];
    const { request: made, response } = await this.#dependencies.client.send({
      url,
      method: request.method,
      headers: fieldsOf(request, url),
      body: request.body,
      userAgent: this.#visit.userAgent,
      signal: this.#signal,
      resource: request.resource,
      read: (incoming) => this.#read(incoming, chunks),
    });
    const { redirect, error, status } = made;
    const stop = redirect === null ? null : this.#stopReason(request, status ?? 0, redirectCount);
    const mayGoOn = this.#report(made, stop);
    if (response === null || error !== null || stop !== null || !mayGoOn) return null;
    return { status: status ?? 0, headers: pairsOf(response.rawHeaders), body: Buffer.concat(chunks), redirect };
  }

  /** Returns why a redirect is not followed. The browser follows those of documents, so that the page has their address. */
  #stopReason({ method, resource }: PageRequest, status: number, redirectCount: number): string | null {
    const repeats = status === 307 || status === 308 || resource !== "document";
    if (!isSafe(method) && repeats) return `Scanners do not repeat ${method} after a redirect`;
    if (resource === "document") this.#documentRedirectCount += 1;
    const count = resource === "document" ? this.#documentRedirectCount : redirectCount + 1;
    return count > redirectCountMax ? `More than ${String(redirectCountMax)} redirects` : null;
  }

  async #read(response: IncomingMessage, chunks: Uint8Array[]): Promise<boolean> {
    const take = (chunk: Uint8Array): boolean => {
      this.#bytes += chunk.byteLength;
      chunks.push(chunk);
      return this.#bytes <= bytesMax;
    };
    const { clock } = this.#dependencies;
    const isWhole = await readBody(response, clock, { msMax: bodyMsMax, bytesMax: responseBytesMax, take });
    return isWhole && this.#bytes <= bytesMax;
  }

  #report(request: ScanRequest, stop: string | null): boolean {
    if (this.#isEnded) return false;
    const mayGoOn = this.#visit.onRequest(shownRequest(request, stop));
    this.#isEnded = !mayGoOn;
    return mayGoOn;
  }
}

/**
 * Returns whether a browser would let a page read a response of its request. The browser itself decides about responses of the
 * URL that it asked for (CORS, tainted images); those of other origins, to which redirects lead, look to it as if they came
 * from there, so they are withheld unless they allow the origin that asks, or the browser takes the URL for one of another
 * origin and the page has not asked to read it.
 */
function mayRead(request: PageRequest, url: string, fields: PageResponse["headers"]): boolean {
  const asked = originOf(request.url);
  if (originOf(url) === asked || request.resource === "document") return true;
  const { frameOrigin } = request;
  const asker = request.headers["origin"] ?? frameOrigin;
  const isCors = request.headers["origin"] !== undefined;
  if (!isCors && frameOrigin !== null && frameOrigin !== asked) return true;
  const allowed = fields.flatMap(([name, value]) => (name === "access-control-allow-origin" ? [value] : []));
  return allowed.length === 1 && (allowed[0] === "*" || allowed[0] === asker);
}

function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null;
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Returns the fields of a request for `url`, the one of the page or one to which it was redirected: cookies stay at their
 * origin. Bodies are not compressed, so that their size is bounded.
 */
function fieldsOf(
  { headers, cookies, url: asked, pageOrigin, method }: PageRequest,
  url: string,
): ScannerFetch["headers"] {
  const { origin } = new URL(url);
  const isOwn = origin === pageOrigin;
  const kept = Object.entries(headers).filter(([name]) => {
    return isOwn ? !droppedFields.test(name) : plainFields.has(name);
  });
  return {
    ...Object.fromEntries(kept),
    "accept-encoding": "identity",
    ...(cookies === "" || origin !== URL.parse(asked)?.origin ? {} : { cookie: cookies }),
    ...(isSafe(method) || pageOrigin === null ? {} : { origin: pageOrigin }),
  };
}

/** Returns the fields of a response, with names in lower case. */
function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => {
    return [(raw[2 * at] ?? "").toLowerCase(), raw[2 * at + 1] ?? ""] as const;
  });
}

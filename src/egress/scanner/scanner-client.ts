/** The HTTP client of link scanners: requests to URLs of mails, at origins that the operator allowed. */
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { scanRequestUrlLengthMax, scanUrlLengthMax } from "../../core/limits.ts";
import { scannerLoopToken, type ScannerMethod, type ScanRequest } from "../../core/scanner.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { readBody, sendPinned } from "../pinned-request.ts";
import { type AddressDependencies, CheckedAddresses } from "../resolve-host.ts";

/** Dependencies of {@link ScannerClient}. */
export interface ScannerClientDependencies extends AddressDependencies {
  readonly clock: Clock;
}

/** One opening of a URL. */
export interface ScannerVisit {
  readonly url: string;
  readonly method: ScannerMethod;
  readonly userAgent: string;
  /** Whether a browser opens the URL and runs the scripts of the page. */
  readonly renders: boolean;
  /** Server of the mail, which takes turns with others. */
  readonly server: string;
  /** Ends the visit. */
  readonly signal: AbortSignal;
  /** Receives every request when it has ended; returns whether its redirect may be followed. */
  readonly onRequest: (request: ScanRequest) => boolean;
}

/** Single request, whose redirect is not followed. */
export interface ScannerFetch extends Pick<ScannerVisit, "url" | "userAgent" | "signal"> {
  readonly method: string;
  /** Further header fields. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Kind of resource that a page requests; null for requests of the scanner itself. */
  readonly resource: string | null;
  /** Reads the body; returns whether it was read to its end. */
  readonly read: (response: IncomingMessage) => Promise<boolean>;
}

/** Ended request, with its response; null without one. */
export interface ScannerExchange {
  readonly request: ScanRequest;
  readonly response: Pick<IncomingMessage, "rawHeaders"> | null;
}

/** Time from the look-up of the host to the header of the response. */
const timeoutMs = 10_000;
const bodyBounds = { msMax: 5000, bytesMax: 256 * 1024 };
/** Redirects of one visit that are followed. */
const redirectCountMax = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface Exchange {
  readonly status: number | null;
  readonly redirect: string | null;
  readonly error: string | null;
  readonly response: IncomingMessage | null;
}

/** Client that opens links as a scanner does: without credentials and kept connections. */
export class ScannerClient {
  readonly #dependencies: ScannerClientDependencies;
  readonly #addresses: CheckedAddresses;

  constructor(dependencies: ScannerClientDependencies) {
    this.#dependencies = dependencies;
    this.#addresses = new CheckedAddresses(dependencies);
  }

  /**
   * Requests a URL without cookies and follows at most 5 redirects. The policy checks the URL and every address of its host for
   * each request, and the connection goes to a checked address. Refusals, failures and limits are errors of their request;
   * never rejects.
   */
  async visit(visit: ScannerVisit): Promise<void> {
    const seen = new Set<string>();
    const read = (response: IncomingMessage): Promise<boolean> =>
      readBody(response, this.#dependencies.clock, bodyBounds);
    let url: string | null = visit.url;
    while (url !== null && !visit.signal.aborted) {
      seen.add(withoutFragment(url));
      const fetch = { ...visit, url, headers: { accept: "*/*" }, body: null, resource: null, read };
      const { request }: ScannerExchange = await this.#request(fetch);
      const next: string | null = request.redirect;
      const stop = next === null ? null : stopReason(next, seen);
      const isFollowed = visit.onRequest(shownRequest(request, stop));
      url = isFollowed && stop === null ? next : null;
    }
  }

  /** Sends one request, checked as those of a visit. Never rejects. */
  async send(fetch: ScannerFetch): Promise<ScannerExchange> {
    return this.#request(fetch);
  }

  async #request(fetch: ScannerFetch): Promise<ScannerExchange> {
    const { clock } = this.#dependencies;
    const startedAt = clock.monotonicMs();
    const { status, redirect, error, response } = await this.#exchange(fetch);
    const durationMs = Math.round(clock.monotonicMs() - startedAt);
    const { method, resource, url } = fetch;
    return { request: { method, resource, url, status, durationMs, redirect, error }, response };
  }

  async #exchange(fetch: ScannerFetch): Promise<Exchange> {
    const { url } = fetch;
    if (url.length > scanRequestUrlLengthMax) {
      return failed(`The URL is longer than ${String(scanRequestUrlLengthMax)} characters`);
    }
    const { policy, clock } = this.#dependencies;
    const refusal = policy.refuseUrl(url, null);
    if (refusal !== null) return failed(refusal);
    const controller = new AbortController();
    const cancelTimeout = clock.after(timeoutMs, () =>
      controller.abort(new DeliveryFailure("No response within 10 seconds", local)),
    );
    const signal = AbortSignal.any([controller.signal, fetch.signal]);
    try {
      const target = new URL(url);
      const address = await this.#addresses.find(target, signal);
      const { method, body, userAgent } = fetch;
      const headers = { ...fetch.headers, "user-agent": userAgent, "cdn-loop": scannerLoopToken };
      const response = await sendPinned({ target, address, signal, method, headers, body });
      cancelTimeout();
      return await readResponse(response, target, fetch.read);
    } catch (error) {
      return failed(reasonOf(error, controller.signal, fetch.signal));
    } finally {
      cancelTimeout();
    }
  }
}

async function readResponse(response: IncomingMessage, target: URL, read: ScannerFetch["read"]): Promise<Exchange> {
  const { statusCode: status = 0, headers } = response;
  const isWhole = await read(response);
  const location = redirectStatuses.has(status) ? headers.location : undefined;
  const redirect = location === undefined ? null : (URL.parse(location, target)?.href ?? null);
  if (location !== undefined && redirect === null)
    return { status, redirect, error: "The Location field is not a URL", response };
  return { status, redirect, error: isWhole ? null : "The body was too long or too slow, and was cut off", response };
}

const local = { stage: "connect", replyCode: null, isLocalRefusal: true } as const;

function failed(error: string): Exchange {
  return { status: null, redirect: null, error, response: null };
}

/** Returns why a redirect is not followed; null where it is. `seen` are the URLs that were requested. */
function stopReason(next: string, seen: ReadonlySet<string>): string | null {
  if (seen.has(withoutFragment(next))) return "The redirect leads to a URL that was requested before";
  return seen.size > redirectCountMax ? `More than ${String(redirectCountMax)} redirects` : null;
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}

/** Returns a request as reports show it: cut, with the reason for which its redirect is not followed. */
export function shownRequest(request: ScanRequest, stop: string | null): ScanRequest {
  const cut = (text: string): string => text.slice(0, scanUrlLengthMax).toWellFormed();
  const { url, redirect, error } = request;
  const reason = stop ?? error;
  return {
    ...request,
    url: cut(url),
    redirect: redirect === null ? null : cut(redirect),
    error: reason === null ? null : cut(reason),
  };
}

function reasonOf(error: unknown, timeout: AbortSignal, end: AbortSignal): string {
  if (timeout.aborted) return "No response within 10 seconds";
  if (end.aborted) return "The visit ended before the response";
  if (error instanceof DeliveryFailure) return error.message.replace("The target's host name", "The host name");
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return code === null ? "The request failed" : `The request failed: ${code}`;
}

/** The HTTP client of link scanners: requests to URLs of mails, at origins that the operator allowed. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Clock } from "../../core/clock.ts";
import { scanRequestUrlLengthMax, scanUrlLengthMax } from "../../core/limits.ts";
import { inNetworks } from "../../core/networks.ts";
import type { ScannerMethod, ScanRequest } from "../../core/scanner.ts";
import { CheckedAddresses, type AddressDependencies } from "../callbacks/checked-addresses.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { discardBody } from "../discard-body.ts";
import { pinnedLookup } from "../pinned-lookup.ts";

/** Dependencies of {@link ScannerClient}. */
export interface ScannerClientDependencies extends AddressDependencies {
  readonly clock: Clock;
  /** Returns the ports of this service's listeners, which trust this machine. */
  readonly ownPorts: () => ReadonlySet<number>;
}

/** One opening of a URL. */
export interface ScannerVisit {
  readonly url: string;
  readonly method: ScannerMethod;
  readonly userAgent: string;
  /** Ends the visit. */
  readonly signal: AbortSignal;
  /** Receives every request when it has ended; returns whether its redirect may be followed. */
  readonly onRequest: (request: ScanRequest) => boolean;
}

/** Time from the look-up of the host to the header of the response. */
const timeoutMs = 10_000;
const bodyBounds = { msMax: 5000, bytesMax: 256 * 1024 };
const headerBytesMax = 16 * 1024;
/** Redirects of one visit that are followed. */
const redirectCountMax = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface Exchange {
  readonly status: number | null;
  readonly redirect: string | null;
  readonly error: string | null;
}

/** Client that opens links as a scanner does: without cookies, credentials or kept connections. */
export class ScannerClient {
  readonly #dependencies: ScannerClientDependencies;
  readonly #addresses: CheckedAddresses;

  constructor(dependencies: ScannerClientDependencies) {
    this.#dependencies = dependencies;
    this.#addresses = new CheckedAddresses(dependencies);
  }

  /**
   * Requests a URL and follows at most 5 redirects. The policy checks the URL and every address of its host for each request,
   * and the connection goes to a checked address. Refusals, failures and limits are errors of their request; never rejects.
   */
  async visit(visit: ScannerVisit): Promise<void> {
    const seen = new Set<string>();
    let url: string | null = visit.url;
    while (url !== null && !visit.signal.aborted) {
      seen.add(withoutFragment(url));
      const request: ScanRequest = await this.#request(url, visit);
      const next: string | null = request.redirect;
      const stop = next === null ? null : stopReason(next, seen);
      const isFollowed = visit.onRequest(shown(request, stop));
      url = isFollowed && stop === null ? next : null;
    }
  }

  async #request(url: string, visit: ScannerVisit): Promise<ScanRequest> {
    const { clock } = this.#dependencies;
    const startedAt = clock.monotonicMs();
    const exchange = await this.#exchange(url, visit);
    const durationMs = Math.round(clock.monotonicMs() - startedAt);
    const { status, redirect, error } = exchange;
    return { method: visit.method, url, status, durationMs, redirect, error };
  }

  async #exchange(url: string, visit: ScannerVisit): Promise<Exchange> {
    if (url.length > scanRequestUrlLengthMax) {
      return failed(`The URL is longer than ${String(scanRequestUrlLengthMax)} characters`);
    }
    const refusal = this.#dependencies.policy.refuseUrl(url, null);
    if (refusal !== null) return failed(refusal);
    const controller = new AbortController();
    const cancelTimeout = this.#dependencies.clock.after(timeoutMs, () => {
      controller.abort(new DeliveryFailure("No response within 10 seconds", local));
    });
    const signal = AbortSignal.any([controller.signal, visit.signal]);
    try {
      const target = new URL(url);
      const address = await this.#addresses.find(target, signal);
      if (isLoopback(address) && this.#dependencies.ownPorts().has(portOf(target))) return failed(ownText);
      const response = await open(target, { address, signal, visit });
      cancelTimeout();
      return await this.#read(response, target);
    } catch (error) {
      return failed(reasonOf(error, controller.signal, visit.signal));
    } finally {
      cancelTimeout();
    }
  }

  async #read(response: IncomingMessage, target: URL): Promise<Exchange> {
    const { statusCode: status = 0, headers } = response;
    const isWhole = await discardBody(response, this.#dependencies.clock, bodyBounds);
    const location = redirectStatuses.has(status) ? headers.location : undefined;
    const redirect = location === undefined ? null : (URL.parse(location, target)?.href ?? null);
    if (location !== undefined && redirect === null)
      return { status, redirect, error: "The Location field is not a URL" };
    return { status, redirect, error: isWhole ? null : "The body was too long or too slow, and was cut off" };
  }
}

const local = { stage: "connect", replyCode: null, isLocalRefusal: true } as const;

const ownText = "Scanners never call this service";
const isLoopback = inNetworks(["127.0.0.0/8", "::1"]);

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function failed(error: string): Exchange {
  return { status: null, redirect: null, error };
}

/** Returns why a redirect is not followed; null where it is. `seen` are the URLs that were requested. */
function stopReason(next: string, seen: ReadonlySet<string>): string | null {
  if (seen.has(withoutFragment(next))) return "The redirect leads to a URL that was requested before";
  return seen.size > redirectCountMax ? `More than ${String(redirectCountMax)} redirects` : null;
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}

function shown(request: ScanRequest, stop: string | null): ScanRequest {
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

interface Opening {
  readonly address: string;
  readonly signal: AbortSignal;
  readonly visit: ScannerVisit;
}

async function open(target: URL, { address, signal, visit }: Opening): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = (target.protocol === "https:" ? httpsRequest : httpRequest)(target, {
    method: visit.method,
    signal,
    agent: false,
    maxHeaderSize: headerBytesMax,
    headers: { "user-agent": visit.userAgent, accept: "*/*" },
    lookup: pinnedLookup(address),
  });
  outgoing.on("response", resolve);
  outgoing.on("error", reject);
  outgoing.end();
  return promise;
}

function reasonOf(error: unknown, timeout: AbortSignal, end: AbortSignal): string {
  if (timeout.aborted) return "No response within 10 seconds";
  if (end.aborted) return "The scan ended before the response";
  if (error instanceof DeliveryFailure) return error.message.replace("The target's host name", "The host name");
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return code === null ? "The request failed" : `The request failed: ${code}`;
}

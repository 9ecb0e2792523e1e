/** Protection from foreign web pages: DNS rebinding is detected by Host, cross-site requests by Origin. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
import { invalidField, Problem } from "../core/errors.ts";
import { requestHopCountMax } from "../core/limits.ts";
import { readHops, withHops } from "../core/request-hops.ts";
import { scannerLoopToken } from "../core/scanner.ts";
import { ProblemWithHeaders } from "./error-response.ts";

const mappedLoopback = /^::ffff:(?:127\.|7f[0-9a-f]{2}:)/i;

/** Returns whether an IP address is loopback: 127.0.0.0/8, ::1, or the former mapped to IPv6 (RFC 4291 §2.5.5.2). */
export function isLoopbackAddress(address: string): boolean {
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || (isIP(address) === 6 && mappedLoopback.test(address));
}

/** Returns whether a host name or address is loopback, including `localhost` and its subdomains (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}

/** Host names that the operator configured. */
export interface HostRules {
  /** Addresses that the listeners are bound to. */
  readonly bindAddresses: readonly string[];
  /** Further host names of the service; a leading dot includes all subdomains. */
  readonly hosts: readonly string[];
}

/** Throws `forbidden` for a request that a foreign web page or a link scanner has made, or that names another host. */
export type HostGuard = (headers: IncomingHttpHeaders, isAbsolute?: boolean) => void;

/** The host name that unmodified clients use through the tunnel, and those that containers give to their machine. */
const knownHosts = ["mailosaur.com", "host.docker.internal", "host.containers.internal"];

/**
 * Returns the guard of the listeners. Bound to loopback only, it requires the Host to be a name of the machine itself or one
 * of `hosts`. Bound elsewhere it accepts every Host, since it cannot know the names in use and a page that rebinds its
 * name has no key; routes without a key check {@link isLoopbackHost} themselves. A target in absolute form, as proxies
 * receive it, must always name one of the hosts. An Origin must always equal the requested host. Requests without Host
 * (HTTP/1.0) do not come from browsers.
 */
export function createHostGuard(rules: HostRules): HostGuard {
  const isAnyHostAllowed = !rules.bindAddresses.every(isLoopbackHost);
  const isAllowed = createNameTest([...knownHosts, ...rules.bindAddresses.map(inUrl), ...rules.hosts]);
  let lastAllowed = "";
  return (headers, isAbsolute = false) => {
    const { host, origin } = headers;
    refuseScanner(headers);
    if (origin !== undefined && !isSameHost(origin, host)) {
      throw new Problem("forbidden", { text: "Requests of web pages from other origins are not allowed" });
    }
    if (host === undefined || host === "" || host === lastAllowed) return;
    if (isAnyHostAllowed && !isAbsolute) return;
    const name = hostName(host);
    if (name !== undefined && (isLoopbackHost(name) || isAllowed(name))) {
      lastAllowed = host;
      return;
    }
    throw new Problem("forbidden", {
      text: "Unknown host name; set RESTANTE_PUBLIC_URL to a URL with this host to allow it",
    });
  };
}

function refuseScanner({ "cdn-loop": loop }: IncomingHttpHeaders): void {
  if (loop?.includes(scannerLoopToken) !== true) return;
  throw new Problem("forbidden", { text: "Link scanners never call this service" });
}

/** Throws a 400 for a request with more than one Host field, and for one of HTTP/1.1 without it (RFC 9112 §3.2). */
export function requireHost({
  headers,
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, "headers" | "rawHeaders" | "httpVersion">): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") count += 1;
  }
  if (count > 1) throw badHost("A request has one header field Host", "invalid");
  if (headers.host === undefined && httpVersion === "1.1") {
    throw badHost("A request of HTTP/1.1 needs the header field Host", "required");
  }
}

function badHost(text: string, code: Parameters<typeof invalidField>[2]): ProblemWithHeaders {
  return new ProblemWithHeaders(invalidField("Host", text, code), { connection: "close" });
}

/**
 * Runs `action` for a request, whose messages keep the number of services like this one that it has passed. Rejects with
 * `forbidden` when they are so many that the message is in a loop.
 */
export async function withHopsOf<Result>(
  { "cdn-loop": loop }: IncomingHttpHeaders,
  action: () => Promise<Result>,
): Promise<Result> {
  const hops = readHops(loop?.toString());
  if (hops <= requestHopCountMax) return withHops(hops, action);
  const text = `The message has passed more than ${requestHopCountMax} services by webhooks: it is in a loop`;
  throw new Problem("forbidden", { text });
}

/** Returns the name or address of a Host field in lower case, without port and final dot; undefined when malformed. */
export function hostName(host: string): string | undefined {
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, "");
  return name === "" || /[/?#@\\]/.test(host) ? undefined : name;
}

/** Returns an address as in URLs: IPv6 in brackets (RFC 3986 §3.2.2). */
function inUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

function createNameTest(hosts: readonly string[]): (name: string) => boolean {
  const lower = hosts.map((host) => host.toLowerCase());
  const names = new Set(lower.map((host) => host.replace(/^\./, "")));
  const endings = lower.filter((host) => host.startsWith("."));
  return (name) => names.has(name) || endings.some((ending) => name.endsWith(ending));
}

function isSameHost(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol) || host === undefined) return false;
  return page.host === URL.parse(`${page.protocol}//${host}/`)?.host;
}

/** Returns whether a request comes from this machine, names one of its own hosts, and was not forwarded by a proxy. */
export function isLocal(headers: IncomingHttpHeaders, clientAddress: string): boolean {
  if (headers["forwarded"] !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return isLoopbackAddress(clientAddress) && isLoopbackHost(hostName(headers.host ?? "localhost") ?? "");
}

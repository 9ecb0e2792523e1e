/** Keeps web pages of strangers out: against DNS rebinding by Host, against cross-site requests by Origin. */
import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../core/errors.ts";
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts";

/** What the operator has decided about names. */
export interface HostRules {
  /** Address that the listeners are bound to. */
  readonly bindAddress: string;
  /** Further names that the service is reached by; a leading dot includes all names below. */
  readonly hosts: readonly string[];
}

/** Throws `forbidden` for a request that a stranger's web page may have made, or that is meant for another host. */
export type HostGuard = (headers: IncomingHttpHeaders, isAbsolute?: boolean) => void;

/** The name that unmodified clients ask for through our tunnel, and those that containers give to their machine. */
const knownHosts = ["mailosaur.com", "host.docker.internal", "host.containers.internal"];

/**
 * The guard of the listeners. Bound to loopback, a request's Host must be a name of the machine itself or one of `hosts`.
 * Bound elsewhere every Host is taken, since no name can be known that colleagues use, and a page that rebinds its
 * name has no key; what needs no key asks for {@link isLoopbackHost} itself. But a target in absolute form, as proxies
 * get them, must be one of the names wherever the listeners are bound. An Origin, where there is one, must be
 * the very host that is asked, always. Requests without Host (HTTP/1.0) do not come from browsers.
 */
export function createHostGuard(rules: HostRules): HostGuard {
  const isAnyHostAllowed = !isLoopbackHost(rules.bindAddress);
  const isAllowed = createNameTest([...knownHosts, rules.bindAddress, ...rules.hosts]);
  let lastAllowed = "";
  return (headers, isAbsolute = false) => {
    const { host, origin } = headers;
    if (origin !== undefined && !isSameHost(origin, host)) {
      throw new Problem("forbidden", { text: "Web pages of other origins may not use this service" });
    }
    if (host === undefined || host === "" || host === lastAllowed) return;
    if (isAnyHostAllowed && !isAbsolute) return;
    const name = hostName(host);
    if (name !== undefined && (isLoopbackHost(name) || isAllowed(name))) {
      lastAllowed = host;
      return;
    }
    throw new Problem("forbidden", { text: "This host name is not served here; RESTANTE_PUBLIC_URL makes one known" });
  };
}

/** The name or address of a Host field, lower-case, without port and final dot; undefined when it is malformed. */
export function hostName(host: string): string | undefined {
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, "");
  return name === "" || /[/?#@\\]/.test(host) ? undefined : name;
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

/** Whether a request comes from this machine, asks for it by one of its own names, and was not passed on by a proxy. */
export function isLocal(headers: IncomingHttpHeaders, clientAddress: string): boolean {
  if (headers["forwarded"] !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return isLoopbackAddress(clientAddress) && isLoopbackHost(hostName(headers.host ?? "localhost") ?? "");
}

/** The HTTP server of the service: listeners, tunnels, routing and the pipeline behind it. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from "node:http";
import type { Server as HttpsServer, ServerOptions as TlsOptions } from "node:https";
import { defaultConnectionLimits } from "../core/limits.ts";
import { createListeners } from "./listeners.ts";
import { createMcpEndpoint } from "./mcp/mcp-endpoint.ts";
import { writeOpenApi } from "./openapi.ts";
import type { HttpOptions } from "./options.ts";
import { routeTable } from "./route-table.ts";
import { createRequestResources } from "./request-resources.ts";
import { belowPath, createRouter, type Router } from "./router.ts";
import { createServe, type ServeState } from "./serve.ts";
import { createTunnels, type Tunnel } from "./tunnels.ts";
import { attachUpgrades, type UpgradeHandler } from "./upgrades.ts";
import { isIP } from "node:net";

/** Largest number of proxies in a chain; longer chains are not trusted. */
const hopCountMax = 50;

/**
 * Returns the address of a request's client. When the connection comes from a trusted proxy, that is the last address,
 * read from right to left, that is not a trusted proxy itself: anyone may have written those to its left. When the
 * fields are unreadable, empty or contradictory, it is the proxy's own address. A proxy that sets one of the two fields
 * must drop or forward the other one unchanged: a client that adds it makes them contradict each other and gains
 * nothing.
 */
export function clientOf(peer: string, headers: IncomingHttpHeaders, isProxy: (address: string) => boolean): string {
  const { forwarded, "x-forwarded-for": listed } = headers;
  if (forwarded === undefined && listed === undefined) return peer;
  const own = plainAddress(peer);
  if (isIP(own) === 0 || !isProxy(own)) return peer;
  const written = Array.isArray(listed) ? listed.join(",") : listed;
  const named = [
    ...(forwarded === undefined ? [] : [clientOfChain(forwardedHops(forwarded), isProxy)]),
    ...(written === undefined ? [] : [clientOfChain(written.split(",").map(addressOf), isProxy)]),
  ];
  const [first] = named;
  return first === undefined || first === null || named.some((one) => one !== first) ? peer : first;
}

/** Returns the client of a chain of hops, the nearest last; null when it cannot be determined. */
function clientOfChain(hops: readonly (string | null)[], isProxy: (address: string) => boolean): string | null {
  if (hops.length > hopCountMax) return null;
  const last = hops.findLastIndex((hop) => hop === null || !isProxy(hop));
  return hops[Math.max(0, last)] ?? null;
}

/** Returns the `for` parameter of each element (RFC 7239 §4); null for one without an address. */
function forwardedHops(field: string): readonly (string | null)[] {
  // Unclosed quotes would let a client swallow what the proxy appends.
  const isWhole = /^(?:[^"\\]|"(?:[^"\\]|\\.)*")*$/.test(field);
  if (!isWhole) return [null];
  return elementsOf(field, ",").map((element) => {
    const pairs = elementsOf(element, ";").map((pair) => /^for\s*=(.*)$/i.exec(pair.trim())?.[1]?.trim());
    const [value, ...others] = pairs.filter((one) => one !== undefined);
    return value === undefined || others.length > 0 ? null : addressOf(value.replace(/^"(.*)"$/, "$1"));
  });
}

/** Splits at a character outside of quotes. */
function elementsOf(text: string, mark: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (isQuoted && text[at] === "\\") at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === mark && !isQuoted) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, text.slice(start)];
}

/**
 * Returns the address of a node without its port: `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`; null otherwise.
 */
function addressOf(node: string): string | null {
  const trimmed = node.trim();
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15}))(?::\d{1,5})?$/i.exec(trimmed) ?? [];
  const address = plainAddress(bracketed ?? plain ?? trimmed);
  return isIP(address) === 0 || address.includes("%") ? null : address;
}

/** Returns an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. */
function plainAddress(address: string): string {
  return /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1] ?? address;
}

/** HTTP server that does not listen yet. */
export interface HttpApp {
  /** Returns an HTTP server for this app that does not listen yet; CONNECT leads into the tunnel, if there is one. */
  readonly createListener: (tunnel?: Tunnel) => Server;
  /** Returns an HTTPS server for this app that does not listen yet. */
  readonly createSecureListener: (tls: TlsOptions) => HttpsServer;
  /**
   * Returns an HTTP server that does not listen yet, with routes of its own: each request has the route that `findRoute`
   * returns. Budgets, limits and the shutdown are those of the app. `upgrade` handles requests that change the protocol.
   */
  readonly createCatcherListener: (findRoute: Router, upgrade: UpgradeHandler | null) => Server;
  /** Handles a request of any server. */
  readonly handle: RequestListener;
  /** Stops accepting, closes idle connections, lets responses under way finish, and resolves when none is left. */
  readonly close: () => Promise<void>;
}

/** Assembles the HTTP server from the route table. */
export function createHttpApp(options: HttpOptions): HttpApp {
  let isClosing = false;
  const limits = options.connectionLimits ?? defaultConnectionLimits;
  const countMax = limits.tunnelCountMax;
  const tunnels = createTunnels({ countMax, isClosing: () => isClosing, observer: options.observer });
  let openApiJson: Promise<Uint8Array> | undefined;
  const { isProxy = () => false } = options;
  const basePath = options.web?.cookie.basePath ?? "";
  const findRoute = belowPath(createRouter(routeTable, options.interceptedHosts), basePath);
  const clientAddress = ({ socket, headers }: IncomingMessage): string =>
    clientOf(tunnels.clientAddress(socket), headers, isProxy);
  const state: ServeState = {
    findRoute,
    mcp: createMcpEndpoint(options.observer),
    isClosing: () => isClosing,
    openApiJson: async () => (openApiJson ??= writeOpenApi(routeTable, basePath)),
    openResources: createRequestResources(options, clientAddress),
    clientAddress,
  };
  const serve = createServe(options, state);
  const handle: RequestListener = (request, response) => {
    void serve({ ...findRoute(request), request, response });
  };
  const listeners = createListeners(limits, handle);
  /** Close the connections of listeners that have changed their protocol. */
  const endings: (() => void)[] = [];
  return {
    createListener: (tunnel) => {
      const server = listeners.create();
      tunnels.attach(server, tunnel ?? null);
      return server;
    },
    createCatcherListener: (find, upgrade) => {
      const serveCatcher = createServe(options, { ...state, findRoute: find });
      const server = listeners.create({
        serve: (request, response) => {
          void serveCatcher({ ...find(request), request, response });
        },
        ...(upgrade !== null && { shouldUpgrade: upgrade.matches }),
      });
      if (upgrade !== null) endings.push(attachUpgrades(server, upgrade, { options, state }));
      tunnels.attach(server, null);
      return server;
    },
    createSecureListener: (tls) => {
      const server = listeners.createSecure(tls);
      tunnels.attach(server, null);
      tunnels.registerTarget(server);
      return server;
    },
    handle,
    close: async () => {
      isClosing = true;
      const timer = setTimeout(() => {
        for (const end of endings) end();
      }, limits.drainMsMax);
      await listeners.close();
      clearTimeout(timer);
    },
  };
}

/** The HTTP server of the service: listeners, tunnels, routing and the pipeline behind it. */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Server as HttpsServer, ServerOptions as TlsOptions } from "node:https";
import { defaultConnectionLimits } from "../core/limits.ts";
import { clientOf } from "./forwarded.ts";
import { createListeners } from "./listeners.ts";
import { createMcpEndpoint } from "./mcp/mcp-endpoint.ts";
import { writeOpenApi } from "./openapi.ts";
import type { HttpOptions } from "./options.ts";
import { routeTable } from "./route-table.ts";
import { createRequestResources } from "./request-resources.ts";
import { createRouter, type Router } from "./router.ts";
import { createServe, type ServeState } from "./serve.ts";
import { createTunnels, type Tunnel } from "./tunnels.ts";
import { attachUpgrades, type UpgradeHandler } from "./upgrades.ts";

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
  readonly createPeerListener: (findRoute: Router, upgrade: UpgradeHandler | null) => Server;
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
  const findRoute = createRouter(routeTable, options.interceptedHosts);
  const clientAddress = ({ socket, headers }: IncomingMessage): string =>
    clientOf(tunnels.clientAddress(socket), headers, isProxy);
  const state: ServeState = {
    findRoute,
    mcp: createMcpEndpoint(options.observer),
    isClosing: () => isClosing,
    openApiJson: async () => (openApiJson ??= writeOpenApi(routeTable)),
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
    createPeerListener: (find, upgrade) => {
      const servePeer = createServe(options, { ...state, findRoute: find });
      const server = listeners.create({
        serve: (request, response) => {
          void servePeer({ ...find(request), request, response });
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

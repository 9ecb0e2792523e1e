/** The one door to Fastify, which routes; everything else about a request is in `serve.ts`. */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Server as HttpsServer, ServerOptions as TlsOptions } from "node:https";
import { clientOf } from "./forwarded.ts";
import { fastify, type FastifyInstance, type FastifyRequest } from "fastify";
import { defaultConnectionLimits } from "../core/limits.ts";
import { createListeners } from "./listeners.ts";
import { writeOpenApi } from "./openapi.ts";
import type { HttpOptions } from "./options.ts";
import type { Route } from "./route.ts";
import { routeTable } from "./route-table.ts";
import { createServe, type Serve } from "./serve.ts";
import { createTunnels, type Tunnel } from "./tunnels.ts";
import { parseQuery, type Query } from "./wire/query.ts";

/** The HTTP door, not yet open. */
export interface HttpApp {
  /** An HTTP server for this app that does not listen yet; CONNECT leads into the tunnel, where there is one. */
  readonly createListener: (tunnel?: Tunnel) => Server;
  /** An HTTPS server for this app that does not listen yet. */
  readonly createSecureListener: (tls: TlsOptions) => HttpsServer;
  /** Runs a request through the app without a socket (light-my-request). */
  readonly inject: FastifyInstance["inject"];
  /** Stops accepting, closes idle connections, lets answers under way finish, and resolves when none is left. */
  readonly close: () => Promise<void>;
}

/** Longer than any path that the header limit lets through, so that a long id is an unknown id and nothing else. */
const segmentLengthMax = 1024 * 1024;

/** Assembles the HTTP door from the route table. */
export async function createHttpApp(options: HttpOptions): Promise<HttpApp> {
  let isClosing = false;
  const limits = options.connectionLimits ?? defaultConnectionLimits;
  const countMax = limits.tunnelCountMax;
  const tunnels = createTunnels({ countMax, isClosing: () => isClosing, observer: options.observer });
  const instance = fastify({
    exposeHeadRoutes: false,
    return503OnClosing: false,
    rewriteUrl: pathOf,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: segmentLengthMax,
      querystringParser: (text) => parseQuery(text) as unknown as Record<string, unknown>,
    },
    // A broken percent sequence: no path of ours, whatever route it looks like.
    frameworkErrors: (_error, { raw }, reply) => {
      reply.hijack();
      const nowhere = { isAbsolute: false, route: null, path: "", id: "", query: parseQuery("") };
      void serve({ ...nowhere, request: raw, response: reply.raw });
    },
  });
  let openApiJson: Promise<Uint8Array> | undefined;
  const { isProxy = () => false } = options;
  const serve = createServe(options, {
    isClosing: () => isClosing,
    openApiJson: async () => (openApiJson ??= writeOpenApi(routeTable)),
    clientAddress: ({ socket, headers }) => clientOf(tunnels.clientAddress(socket), headers, isProxy),
  });

  // Bodies are read behind authentication and by the route's own cap, so Fastify must not touch them.
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  for (const route of routeTable) addRoute(instance, route, serve);
  instance.setNotFoundHandler((request, reply) => {
    void serve(exchangeOf(null, request, reply));
  });
  await instance.ready();

  const listen: RequestListener = (request, response) => {
    instance.routing(request, response);
  };
  const listeners = createListeners(limits, listen);
  return {
    createListener: (tunnel) => {
      const server = listeners.create();
      tunnels.answer(server, tunnel ?? null);
      return server;
    },
    createSecureListener: (tls) => {
      const server = listeners.createSecure(tls);
      tunnels.answer(server, null);
      tunnels.arriveAt(server);
      return server;
    },
    inject: instance.inject.bind(instance),
    close: async () => {
      isClosing = true;
      await listeners.close();
      await instance.close();
    },
  };
}

function addRoute(instance: FastifyInstance, route: Route, serve: Serve): void {
  const handler = (request: FastifyRequest, reply: { raw: Parameters<RequestListener>[1] }): void => {
    void serve(exchangeOf(route, request, reply));
  };
  const { path: url, method } = route;
  instance.route({ method, url, handler });
  if (method === "GET") instance.route({ method: "HEAD", url, handler });
}

function exchangeOf(
  route: Route | null,
  request: FastifyRequest,
  reply: { raw: Parameters<RequestListener>[1] },
): Parameters<Serve>[0] {
  const { raw } = request;
  const url = raw.url ?? "/";
  const mark = url.indexOf("?");
  const { id = "" } = request.params as { readonly id?: string };
  return {
    request: raw,
    response: reply.raw,
    isAbsolute: isAbsoluteForm(request.originalUrl),
    route,
    path: mark === -1 ? url : url.slice(0, mark),
    id,
    query: request.query as Query,
  };
}

/**
 * Returns the path of a request target. Slashes that are repeated at the start count once: a base URL that ends with a
 * slash makes them. For a target in absolute form (RFC 9112 §3.2.2) sets the Host field to its host.
 */
function pathOf(request: IncomingMessage): string {
  const target = request.url ?? "/";
  if (!isAbsoluteForm(target)) return singleSlashed(target);
  const url = URL.parse(target);
  if (url === null || !/^https?:$/.test(url.protocol)) return "/";
  request.headers.host = url.host;
  return singleSlashed(`${url.pathname}${url.search}`);
}

function singleSlashed(target: string): string {
  return target.startsWith("//") ? target.replace(/^\/+/, "/") : target;
}

function isAbsoluteForm(target: string): boolean {
  return !target.startsWith("/") && target !== "*";
}

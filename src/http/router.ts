/** Routing of requests by method and path. The only file that imports find-my-way. */
import type { IncomingMessage } from "node:http";
import findMyWay from "find-my-way";
import type { HTTPMethod, HTTPVersion, Instance } from "find-my-way";
import { signedServiceOf } from "../providers/formats/aws-access-key.ts";
import { findHost } from "../providers/hosts.ts";
import { providers } from "../providers/registry.ts";
import { hostName } from "./host-guard.ts";
import type { Route } from "./route.ts";
import { parseQuery, type Query } from "./wire/query.ts";

/** Target of a request, and its route. */
export interface Routing {
  /** Whether the target came in absolute form (RFC 9112 §3.2.2), as a client sends it to a proxy. */
  readonly isAbsolute: boolean;
  /** Null when no route has both the path and the method. */
  readonly route: Route | null;
  /** Without the query string; "" when its percent-encoding is invalid, unless a route matches every path. */
  readonly path: string;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The path's `:id`, decoded; "" when it has none. */
  readonly id: string;
  readonly query: Query;
}

/** Request line and header fields of a request. */
export type RoutedRequest = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Finds the route of a request. Never throws. */
export type Router = (request: RoutedRequest) => Routing;

/** Longer than any path within the header limit, so that a long id is an unknown id and nothing else. */
const segmentLengthMax = 1024 * 1024;

/**
 * Returns the router of a route table. GET routes also match HEAD, and a trailing slash is ignored. A request to an intercepted
 * host, or signed for a provider, is one of that provider.
 */
export function createRouter(routes: readonly Route[], intercepted: ReadonlyMap<string, string> = new Map()): Router {
  const routerOf = createRouters(routes);
  return (request) => {
    const { isAbsolute, path, search } = readTarget(request, intercepted);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const router = path === "*" ? undefined : routerOf(path);
    const found = router?.find(method as HTTPMethod, path) ?? null;
    if (router === undefined || found === null)
      return { isAbsolute, route: null, path, params: {}, id: "", query: parseQuery(search) };
    const { store, params } = found as {
      readonly store: Route | null;
      readonly params: Readonly<Record<string, string>>;
    };
    if (store === null) {
      const route = routeOfInvalidPath(router, method as HTTPMethod, path);
      return { isAbsolute, route, path: route === null ? "" : path, params: {}, id: "", query: parseQuery("") };
    }
    return { isAbsolute, route: store, path, params, id: params["id"] ?? "", query: parseQuery(search) };
  };
}

/**
 * Returns a router that also finds routes below `basePath`, which has no slash at its end, and removes it from their targets:
 * not every reverse proxy does so. Nothing changes for an empty one.
 */
export function belowPath(find: Router, basePath: string): Router {
  if (basePath === "") return find;
  return (request) => {
    const found = find(request);
    const { url = "" } = request;
    const next = url[basePath.length];
    const isBelow = url.startsWith(basePath) && (next === undefined || next === "/" || next === "?");
    if (found.route !== null || !isBelow) return found;
    const rest = url.slice(basePath.length);
    request.url = next === "/" ? rest : `/${rest}`;
    return { ...find(request), isAbsolute: found.isAbsolute };
  };
}

/**
 * Returns a function that returns the router of a path; undefined when no route has its beginning. The routers of the beginnings
 * of paths are built on first use, because find-my-way compiles functions for each route: all take 10 % of the CPU time of a start.
 */
function createRouters(routes: readonly Route[]): (path: string) => Instance<HTTPVersion.V1> | undefined {
  const routesByStart = Map.groupBy(routes, ({ path }) => startOf(path));
  const routers = new Map<string, Instance<HTTPVersion.V1>>();
  return (path) => {
    const own = startOf(path);
    // Percent-encoded characters may be those of any route, or invalid.
    const start = routesByStart.has(own) || !path.includes("%") ? own : "";
    const known = routers.get(start);
    const routesOfStart = start === "" ? routes : routesByStart.get(start);
    if (known !== undefined || routesOfStart === undefined) return known;
    const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: segmentLengthMax, onBadUrl: unused });
    for (const route of routesOfStart) {
      // A colon within a segment, as in `/emails:send`, begins no parameter.
      router.on(route.method, route.path.replaceAll(/(?<!\/):/g, "::"), unused, route);
    }
    routers.set(start, router);
    return router;
  };
}

const prefixes = ["/api/", "/providers/", "/"];

/** Returns the first segment of a path, and the second below `/api` and `/providers`: segments that are no parameters. */
function startOf(path: string): string {
  const prefix = prefixes.find((one) => path.startsWith(one));
  if (prefix === undefined) return "";
  const end = path.indexOf("/", prefix.length);
  return end === -1 ? path : path.slice(0, end);
}

/** Deeper below a prefix than any route except one that matches every path. */
const anywhere = "/-".repeat(20);

/** Returns the route of all paths below a provider's prefix, whose errors are the provider's own; null elsewhere. */
function routeOfInvalidPath(router: Instance<HTTPVersion.V1>, method: HTTPMethod, path: string): Route | null {
  const prefix = /^\/providers\/[a-z]+(?=\/)/.exec(path)?.[0];
  const found = prefix === undefined ? null : router.find(method, prefix + anywhere);
  return (found?.store as Route | null | undefined) ?? null;
}

/** Normalises the target of a request in place, and splits it at the question mark. */
function readTarget(
  request: RoutedRequest,
  intercepted: ReadonlyMap<string, string>,
): { readonly isAbsolute: boolean; readonly path: string; readonly search: string } {
  const { url: target = "/" } = request;
  const isAbsolute = !target.startsWith("/") && target !== "*";
  const own = isAbsolute ? withoutOrigin(request, target) : singleSlashed(target);
  const provider = own.startsWith("/") ? providerOf(request, own, intercepted) : undefined;
  const url = provider === undefined ? own : `/providers/${provider}${own}`;
  const mark = url.indexOf("?");
  const path = singleSlashedWithin(mark === -1 ? url : url.slice(0, mark));
  request.url = path + (mark === -1 ? "" : url.slice(mark));
  return { isAbsolute, path, search: mark === -1 ? "" : url.slice(mark + 1) };
}

/** Returns a path with repeated slashes as one below `/providers`: the Python library of Graph writes `/v1.0//users`. */
function singleSlashedWithin(path: string): string {
  return path.startsWith("/providers/") && path.includes("//") ? path.replaceAll(/\/+/g, "/") : path;
}

/** Handler of routes, which are looked up and never dispatched. */
function unused(): void {
  throw new Error("the router dispatched a request");
}

/**
 * Returns the name of the provider whose API a target without `/providers/<name>` belongs to, by the host of the request or
 * its AWS signature: SDKs for Java drop the path of an endpoint for SES version 1 and for SNS.
 */
function providerOf(
  { headers }: RoutedRequest,
  target: string,
  intercepted: ReadonlyMap<string, string>,
): string | undefined {
  const byHost = intercepted.size === 0 ? undefined : findHost(intercepted, hostName(headers.host ?? "") ?? "");
  const { authorization } = headers;
  if (byHost !== undefined || authorization?.startsWith("AWS4-") !== true) return byHost;
  return ownPath.test(target) ? undefined : providersBySigningName.get(signedServiceOf(authorization) ?? "");
}

const ownPath = /^\/(?:api|providers)\//;
const providersBySigningName = new Map(
  providers.flatMap(({ name, signingName }) => (signingName === undefined ? [] : [[signingName, name] as const])),
);

/** Returns the path and query of a target in absolute form, whose host becomes the Host field (RFC 9112 §3.2.2). */
function withoutOrigin(request: RoutedRequest, target: string): string {
  const url = URL.parse(target);
  if (url === null || !/^https?:$/.test(url.protocol)) return "/";
  request.headers.host = url.host;
  return singleSlashed(`${url.pathname}${url.search}`);
}

/** Returns a target with repeated slashes at its start as one; a base URL that ends with a slash causes them. */
function singleSlashed(target: string): string {
  return target.startsWith("//") ? target.replace(/^\/+/, "/") : target;
}

/**
 * Returns whether a path matches the path of a route: `:name` matches one segment that is not empty, `/*` at the end any
 * rest.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  if (pattern.endsWith("/*")) return path.startsWith(pattern.slice(0, -1));
  const expected = pattern.split("/");
  // Not all segments: a stranger can send a path of thousands, which is compared with every route.
  const actual = path.split("/", expected.length + 1);
  return (
    expected.length === actual.length &&
    expected.every((segment, at) => (segment.startsWith(":") ? actual[at] !== "" : segment === actual[at]))
  );
}

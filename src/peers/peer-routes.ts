/** Routing of requests to a listener with the API of another mail catcher, in the form that the pipeline of the HTTP server runs. */
import { Problem } from "../core/errors.ts";
import { FailureWithBody, toErrorResponse } from "../http/error-response.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { ConnectionDropped, RequestAborted } from "../http/read-body.ts";
import type { Method, ProviderCall, ProviderRoute } from "../http/route.ts";
import { createRouter, type RoutedRequest, type Router } from "../http/router.ts";
import { authorizePeer, type PeerAccess } from "./authorize.ts";
import type { OpenPeerRoute, Peer, PeerRoute } from "./peer.ts";
import { redirect } from "./responses.ts";

/** Options of the routes. */
export interface PeerOptions {
  readonly access: PeerAccess;
  /** Version of the service. */
  readonly version: string;
}

const shared = { operationId: null, access: "provider", successes: [], problems: [], summary: "" } as const;
const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const challenge = 'Basic realm="restante"';

/**
 * Returns the router of a listener: each request has a route, whose errors have the form of the mail catcher. The names of
 * routes in metrics begin with its name.
 */
export function createPeerRouter(peer: Peer, options: PeerOptions): Router {
  const routes = peer.routes.map((route) => toRoute(peer, route, options));
  const find = peer.ignoresCase === true ? inLowerCase(createRouter(routes)) : createRouter(routes);
  const named = new Map(routes.map((route) => [route, { ...route, path: `/${peer.name}${route.path}` }]));
  return (request) => {
    const found = find(request);
    const { route } = found;
    if (route !== null) return { ...found, route: named.get(route as ProviderRoute) ?? route };
    return { ...found, route: unmatchedRoute(peer, { request, path: found.path, find }) };
  };
}

/** Returns a router that finds the routes of paths in lower case. */
function inLowerCase(find: Router): Router {
  return ({ method, url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    return find({ method, url: path.toLowerCase() + url.slice(path.length), headers });
  };
}

function toRoute(peer: Peer, route: PeerRoute | OpenPeerRoute, options: PeerOptions): ProviderRoute {
  const { method, path } = route;
  return {
    ...shared,
    method,
    path,
    respond: async (call) => inPeerForm(peer, call, async () => respond(route, call, options)),
  };
}

async function respond(
  route: PeerRoute | OpenPeerRoute,
  call: ProviderCall,
  { access, version }: PeerOptions,
): Promise<HttpResponse> {
  if (route.permission === "none") return await route.respond(call);
  const { server, principal, isOpen } = await authorizePeer(call, access, route.permission);
  call.identify(principal.keyId);
  const { context, clientAddress } = call;
  return await route.respond({
    ...call,
    version,
    server,
    principal,
    isOpen,
    record: async (action, { target = null, details = {} }) => {
      const { keyId: key, keyName: name = null } = principal;
      await context.audit.record({ by: "key", key, name, clientAddress }, { action, target, server, details });
    },
  });
}

/** Replaces the body of an error by that of the mail catcher. */
async function inPeerForm(
  peer: Peer,
  { isHead }: ProviderCall,
  action: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof RequestAborted || error instanceof ConnectionDropped) throw error;
    const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
    const fields = problem.fields.map(({ field, description }) => `${field}: ${description}`);
    const { headers, body } = peer.toErrorBody(problem, [problem.message, ...fields].join("; "));
    if (problem.row.status >= 500) throw new FailureWithBody(error, { headers, body: isHead ? null : body });
    const { response } = toErrorResponse(problem, challenge);
    return { status: response.status, headers: { ...response.headers, ...headers }, body };
  }
}

function unmatchedRoute(
  peer: Peer,
  { request, path, find }: { readonly request: RoutedRequest; readonly path: string; readonly find: Router },
): ProviderRoute {
  const { method = "" } = request;
  const isPage = (method === "GET" || method === "HEAD") && (path === "/" || peer.pages?.includes(path) === true);
  return {
    ...shared,
    method: "GET",
    path: "unmatched",
    respond: async (call) =>
      inPeerForm(peer, call, async () => {
        if (isPage) return redirect(`${call.context.settings.publicUrl()}/`);
        // A spread would lose `headers`, which is an accessor of the prototype.
        const target = { url: request.url ?? path, headers: request.headers };
        const allowed = methods.filter((one) => find({ ...target, method: one }).route !== null);
        const response = peer.respondUnmatched({ method, path, allowed });
        if (response.status !== 405) return response;
        return { ...response, headers: { ...response.headers, allow: allowed.join(", ") } };
      }),
  };
}

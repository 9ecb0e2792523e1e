/** Routing of requests to a listener with the API of another mail catcher, in the form that the pipeline of the HTTP server runs. */
import type { Need } from "../core/api-key.ts";
import { notFound, Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import { readKey } from "../http/auth.ts";
import { FailureWithBody, toErrorResponse } from "../http/error-response.ts";
import { isLocal } from "../http/host-guard.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { ConnectionDropped, RequestAborted } from "../http/read-body.ts";
import type { Method, ProviderCall, ProviderRoute } from "../http/route.ts";
import { belowPath, createRouter, type RoutedRequest, type Router } from "../http/router.ts";
import { findCatchAll } from "../operations/inbound/resolve-recipient.ts";
import { actorOf, admit, narrowTo, requireScope } from "../operations/services/security/access.ts";
import { authenticate } from "../operations/services/security/authenticate.ts";
import {
  type Catcher,
  type CatcherCall,
  type CatcherRoute,
  type CatcherSocket,
  detailOf,
  type OpenCatcherRoute,
} from "./catcher.ts";
import { redirect } from "./responses.ts";
import { KeySlots } from "../core/key-slots.ts";
import type { Upgrade, UpgradeHandler } from "../http/upgrades.ts";

/** Access to a listener with the API of another mail catcher. */
export interface CatcherAccess {
  /** Name of the mail catcher. */
  readonly name: string;
  /** Server that the API shows; null for the catch-all server. */
  readonly server: ServerId | null;
  /** Whether clients on this machine need no key. */
  readonly trustsLoopback: boolean;
}

/** Options of the routes. */
interface CatcherOptions {
  readonly access: CatcherAccess;
  /** Version of the service. */
  readonly version: string;
  /** Path below which the API responds, too, without a slash at its end; none by default. */
  readonly basePath?: string;
}

const shared = { operationId: null, access: "provider", successes: [], problems: [], summary: "" } as const;
const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const challenge = 'Basic realm="restante"';

/**
 * Returns the router of a listener: each request has a route, whose errors have the form of the mail catcher. The names of
 * routes in metrics begin with its name.
 */
export function createCatcherRouter(catcher: Catcher, options: CatcherOptions): Router {
  const routes = catcher.routes.map((route) => toRoute(catcher, route, options));
  const router = createRouter(routes);
  const find = belowPath(catcher.ignoresCase === true ? inLowerCase(router) : router, options.basePath ?? "");
  const named = new Map(routes.map((route) => [route, { ...route, path: `/${catcher.name}${route.path}` }]));
  return (request) => {
    const found = find(request);
    const { route } = found;
    if (route !== null) return { ...found, route: named.get(route as ProviderRoute) ?? route };
    return { ...found, route: unmatchedRoute(catcher, { request, path: found.path, find }) };
  };
}

/** Returns a router that finds the routes of paths in lower case. */
function inLowerCase(find: Router): Router {
  return ({ method, url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    return find({ method, url: path.toLowerCase() + url.slice(path.length), headers });
  };
}

function toRoute(catcher: Catcher, route: CatcherRoute | OpenCatcherRoute, options: CatcherOptions): ProviderRoute {
  const { method, path } = route;
  return {
    ...shared,
    method,
    path,
    respond: async (call) => inCatcherForm(catcher, call, async () => respond(route, call, options)),
  };
}

async function respond(
  route: CatcherRoute | OpenCatcherRoute,
  call: ProviderCall,
  { access, version, basePath = "" }: CatcherOptions,
): Promise<HttpResponse> {
  if (route.permission === "none") return await route.respond(call);
  const { server, principal, isOpen } = await authorizeCatcher(call, access, route.permission);
  call.identify(principal.keyId);
  const { context, clientAddress } = call;
  return await route.respond({
    ...call,
    version,
    basePath,
    server,
    principal,
    isOpen,
    record: async (action, { target = null, details = {} }) => {
      await context.audit.record(actorOf(principal, "key", clientAddress), { action, target, server, details });
    },
  });
}

/** Replaces the body of an error by that of the mail catcher. */
async function inCatcherForm(
  catcher: Catcher,
  { isHead }: ProviderCall,
  action: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof RequestAborted || error instanceof ConnectionDropped) throw error;
    const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
    const { headers, body } = catcher.toErrorBody(problem, detailOf(problem));
    if (problem.row.status >= 500) throw new FailureWithBody(error, { headers, body: isHead ? null : body });
    const { response } = toErrorResponse(problem, challenge);
    return { status: response.status, headers: { ...response.headers, ...headers }, body };
  }
}

function unmatchedRoute(
  catcher: Catcher,
  { request, path, find }: { readonly request: RoutedRequest; readonly path: string; readonly find: Router },
): ProviderRoute {
  const { method = "" } = request;
  const isPage = (method === "GET" || method === "HEAD") && (path === "/" || catcher.pages?.includes(path) === true);
  return {
    ...shared,
    method: "GET",
    path: "unmatched",
    respond: async (call) =>
      inCatcherForm(catcher, call, async () => {
        if (isPage) return redirect(`${call.context.settings.publicUrl()}/`);
        // A spread would lose `headers`, which is an accessor of the prototype.
        const target = { url: request.url ?? path, headers: request.headers };
        const allowed = methods.filter((one) => find({ ...target, method: one }).route !== null);
        const response = catcher.respondUnmatched({ method, path, allowed });
        if (response.status !== 405) return response;
        return { ...response, headers: { ...response.headers, allow: allowed.join(", ") } };
      }),
  };
}

/** Returns the handler of the web socket of an API; null when it has none. */
export function createCatcherUpgrade(catcher: Catcher, options: CatcherOptions): UpgradeHandler | null {
  const { socket } = catcher;
  if (socket === undefined) return null;
  let slots: KeySlots | undefined;
  const paths = ["", options.basePath ?? ""].map((basePath) => basePath + socket.path);
  return {
    route: `/${catcher.name}${socket.path}`,
    matches: ({ method, url = "", headers }) =>
      method === "GET" &&
      paths.includes(url.split("?", 1)[0] ?? "") &&
      String(headers.upgrade).toLowerCase() === "websocket",
    accept: async (upgrade) => {
      slots ??= new KeySlots(upgrade.context.limits.eventStreamCountPerKeyMax, "event streams");
      await accept(upgrade, { socket, options, slots });
    },
  };
}

interface Acceptance {
  readonly socket: CatcherSocket;
  readonly options: CatcherOptions;
  /** Open web sockets of each key. */
  readonly slots: KeySlots;
}

async function accept(upgrade: Upgrade, { socket, options, slots }: Acceptance): Promise<void> {
  const { context, request, clientAddress } = upgrade;
  const { headers } = request;
  const caller = await authorizeCatcher({ context, headers, clientAddress }, options.access, socket.permission);
  const free = slots.take(caller.principal.keyId);
  try {
    const { openWebSocket } = await import("./web-socket.ts");
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, context.closing]);
    const { version } = options;
    const texts = socket.open({ context, version, ...caller, signal: () => signal });
    await openWebSocket(upgrade, texts, () => {
      gone.abort();
      free();
    });
  } catch (error) {
    free();
    throw error instanceof Problem ? error : new Problem("internal", { cause: error });
  }
}

/** Authorised request. */
type CatcherCaller = Pick<CatcherCall, "server" | "principal" | "isOpen">;

/** Members of a request that are compared. */
type AuthorizedRequest = Pick<ProviderCall, "context" | "headers" | "clientAddress">;

/**
 * Returns the server and the principal of a request. Without a key, only requests of clients on this machine are accepted, and
 * none that a page of another site has caused. Rejects with `unauthenticated`, `forbidden`, `too_many_requests`, and with
 * `not_found` when the server does not exist.
 */
async function authorizeCatcher(request: AuthorizedRequest, access: CatcherAccess, need: Need): Promise<CatcherCaller> {
  const { context, headers, clientAddress } = request;
  if (access.trustsLoopback && isLocal(headers, clientAddress)) {
    requireSameSite(request);
    const server = await openCatcherServer(request, access);
    const keyName = `${access.name} API on loopback`;
    return { server, principal: { keyId: `loopback of ${server}`, keyName, server }, isOpen: async () => true };
  }
  const key = readKey(headers.authorization);
  if (key === undefined) throw new Problem("unauthenticated");
  const { principal: caller, isOpen } = await authenticate(context, { key, clientAddress });
  admit(caller, { need, access: "key" });
  const server = await openCatcherServer(request, access);
  const principal = narrowTo(caller, server);
  if (principal === undefined) {
    throw new Problem("forbidden", { text: "This key may not access the server of this listener" });
  }
  requireScope(principal, need);
  return { server, principal, isOpen: async () => isOpen(principal) };
}

async function openCatcherServer({ context }: AuthorizedRequest, access: CatcherAccess): Promise<ServerId> {
  const server = access.server ?? (await findCatchAll(context));
  if (server === undefined || !(await context.store.hasServer(server))) throw notFound("Server");
  return server;
}

/**
 * Throws `forbidden` for requests that browsers send for pages of other sites, except navigations, whose responses those
 * pages cannot read. Requests with an Origin are rejected before.
 */
function requireSameSite({ headers }: AuthorizedRequest): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "none" || site === "same-origin") return;
  if (headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document") return;
  throw new Problem("forbidden", { text: "Requests of web pages from other origins are not allowed" });
}

/** Module of each mail catcher, which is loaded when its listener opens. */
export const catcherTable: {
  readonly [Name in "mailpit" | "mailhog" | "maildev" | "smtp4dev"]: () => Promise<Catcher>;
} = {
  mailpit: async () => (await import("./mailpit/mailpit.ts")).mailpit,
  mailhog: async () => (await import("./mailhog/mailhog.ts")).mailhog,
  maildev: async () => (await import("./maildev/maildev.ts")).maildev,
  smtp4dev: async () => (await import("./smtp4dev/smtp4dev.ts")).smtp4dev,
};

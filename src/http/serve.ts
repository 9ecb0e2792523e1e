/** The request pipeline: host guard, authentication, body, route, response, observer. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { notFound, Problem } from "../core/errors.ts";
import type { Context } from "../operations/context.ts";
import { readTraceparent, type SpanStart } from "../core/tracing.ts";
import { admit } from "../operations/services/security/access.ts";
import { type HttpResponse, noContent } from "./http-response.ts";
import { type OpenRequestResources, type RequestResources, signalOfClose } from "./request-resources.ts";
import { smallResponseBytesMax } from "./response-memory.ts";
import { type AuthContext, authenticateMonitor, authenticateRequest, challengeFor } from "./auth.ts";
import { ProblemWithHeaders, toErrorResponse } from "./error-response.ts";
import { createHostGuard, isLocal, requireHost, withHopsOf } from "./host-guard.ts";
import type { HttpOptions } from "./options.ts";
import { ConnectionDropped, readBody, RequestAborted } from "./read-body.ts";
import { type Call, type KeyCall, type McpEndpoint, permissionOf, type ProviderCall, type Route } from "./route.ts";
import type { Router, Routing } from "./router.ts";
import { allowedMethods } from "./route-table.ts";
import { lengthOf, sendResponse } from "./send-response.ts";
import { createSubrequests, respondToKey } from "./subrequest.ts";
import { rejectUnknownParameters } from "./unknown-parameters.ts";
import { notFoundPage } from "./web/page-response.ts";
import { createListEncoder, isOfficialLibrary } from "./wire/message-json.ts";
import { parseJsonBodyInTurns } from "./wire/json-body.ts";

/** Returns a request in the format of a provider, whose body is read when the route asks for it. */
function toProviderCall(
  call: Call,
  request: IncomingMessage,
  { identify, body: hold, admitBody: admit, endConnection }: RequestResources,
): ProviderCall {
  const { clock, settings } = call.context;
  return {
    ...call,
    url: settings.publicUrl() + (request.url ?? "/"),
    identify,
    readBody: async (bytesMax) => readBody(request, { bytesMax, hold, admit, clock, endConnection }),
    releaseBody: () => {
      hold.release();
    },
  };
}

/** A request, its response, and what the router found. */
export interface Exchange extends Routing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Responds to a request and notifies the observer. Never rejects. */
export type Serve = (exchange: Exchange) => Promise<void>;

/** State of the server that is not part of the options. */
export interface ServeState {
  /** Whether the server is closing, so that every response is the last of its connection. */
  readonly isClosing: () => boolean;
  readonly openApiJson: () => Promise<Uint8Array>;
  readonly findRoute: Router;
  readonly mcp: McpEndpoint;
  readonly openResources: OpenRequestResources;
  /** Returns the address of a request's client, also through a tunnel or a trusted proxy. */
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** Returns the pipeline behind the router. */
export function createServe(options: HttpOptions, state: ServeState): Serve {
  const { context, observer } = options;
  const { clock, limits } = context;
  const { openResources } = state;
  const respond = createResponder(options, state);

  /** Returns the response, which may be an error; null when the client has disconnected. */
  const prepare = async (
    exchange: Exchange,
    resources: RequestResources,
    names: RequestNames,
  ): Promise<HttpResponse | null> => {
    const { room } = resources;
    try {
      const result = await withHopsOf(exchange.request.headers, async () =>
        context.admission.asOne(async () => respond(exchange, resources)),
      );
      const length = lengthOf(result.body ?? []);
      if (length > smallResponseBytesMax) await room.reserve(length);
      if (result.stream === undefined) room.resize(length > smallResponseBytesMax ? length : 0);
      return result;
    } catch (error) {
      room.release();
      if (error instanceof ConnectionDropped) {
        exchange.response.destroy();
        return null;
      }
      if (isCallerAbort(error, exchange)) return null;
      const failure = toErrorResponse(error, challengeFor(exchange.request));
      if (failure.logged !== null) observer.failed({ ...failure.logged, ...names });
      return failure.response;
    } finally {
      resources.body.release();
    }
  };

  return async (exchange) => {
    const startedAt = performance.now();
    const { request, response } = exchange;
    const names = { method: request.method ?? "", route: exchange.route?.path ?? "unmatched" };
    const resources = openResources(exchange);
    const { room } = resources;
    const { tracing } = context;
    const prepared = async (): Promise<HttpResponse | null> => prepare(exchange, resources, names);
    const result = await (isTraced(exchange) ? tracing.run(requestSpan(exchange, names), prepared) : prepared());
    if (result === null || response.destroyed) {
      room.release();
      return;
    }
    const { method, route } = names;
    observer.answered({ method, route, status: result.status, durationMs: performance.now() - startedAt });
    const { writeMsMax } = limits;
    try {
      const isHead = method === "HEAD";
      await sendResponse(response, result, { isHead, isLast: state.isClosing(), clock, writeMsMax, room });
    } catch (error) {
      // The status is sent already: closing the connection is the only way to report that the response is incomplete.
      const isAborted = isCallerAbort(error, exchange);
      room.release();
      response.destroy();
      if (!isAborted) observer.failed({ id: randomUUID(), ...names, error });
    }
  };
}

/** Whether spans of the request are recorded: not of health checks, metrics and pages. */
function isTraced({ route }: Exchange): boolean {
  return route?.access !== "open" && route?.access !== "local";
}

/** Returns the span of a request up to its response; the field `traceparent` names its caller. */
function requestSpan({ request }: Exchange, { method, route }: RequestNames): SpanStart {
  return {
    name: `${method} ${route}`,
    parent: () => readTraceparent(request.headers["traceparent"]),
    attributes: () => ({ "http.request.method": method, "http.route": route }),
  };
}

/** Method and route as observers see them. */
interface RequestNames {
  readonly method: string;
  readonly route: string;
}

/** Returns a function that runs a request up to its response: host guard, authentication, body and route. */
function createResponder(
  options: HttpOptions,
  state: ServeState,
): (exchange: Exchange, resources: RequestResources) => Promise<HttpResponse> {
  const { context, trustLoopback, web = null } = options;
  const guard = createHostGuard(options.hostRules);
  const toCall = createCalls(options, state);
  const sendSubrequest = createSubrequests(state.findRoute, options.observer);
  const authContext: AuthContext = {
    ...context,
    get sessions() {
      return web?.sessions;
    },
  };
  return async (exchange, resources) => {
    const { request, route, query, isAbsolute } = exchange;
    const { headers } = request;
    requireHost(request);
    guard(headers, isAbsolute);
    if (route === null) return (await notFoundPage(web, request)) ?? respondUnmatched(exchange);
    const clientAddress = state.clientAddress(request);
    const isTrusted = (): boolean => trustLoopback && isLocal(headers, clientAddress);
    if (route.access === "open" || (route.access === "local" && isTrusted())) {
      return route.respond(toCall(exchange, resources, { clientAddress }));
    }
    if (route.access === "provider") {
      return route.respond(toProviderCall(toCall(exchange, resources, { clientAddress }), request, resources));
    }
    const authRequest = { headers, method: request.method ?? "", url: request.url ?? "", query, clientAddress };
    if (route.access === "local") {
      await authenticateMonitor(authContext, authRequest);
      return route.respond(toCall(exchange, resources, { clientAddress }));
    }
    const caller = await authenticateRequest(authContext, authRequest);
    resources.identify(caller.principal.keyId);
    const principal = admit(caller.principal, { need: permissionOf(route), access: route.access });
    if (!isOfficialLibrary(headers["user-agent"])) rejectUnknownParameters(route, query);
    const body = await takeBody(route, request, { context, resources });
    const { via, isOpen } = caller;
    const call: KeyCall = {
      ...toCall(exchange, resources, { clientAddress, body }),
      principal,
      via,
      isOpen,
      subrequest: async (inner) => sendSubrequest(call, inner),
    };
    return respondToKey(route, call);
  };
}

/** Parts of a call that are not in its exchange. */
interface CallParts {
  readonly clientAddress: string;
  /** Parsed JSON body; absent when the route takes none. */
  readonly body?: unknown;
}

/** Returns a function that turns an exchange into the request that routes receive. */
function createCalls(
  { context, health, listEnvelope, web }: HttpOptions,
  state: ServeState,
): (exchange: Exchange, resources: RequestResources, parts: CallParts) => Call {
  const encodeList = createListEncoder(listEnvelope);
  return ({ request, response, path, id, params, query }, { room, holdEventStream }, { clientAddress, body }) => ({
    context,
    service: health,
    web: web ?? null,
    mcp: state.mcp,
    path,
    id,
    params,
    query,
    headers: request.headers,
    clientAddress,
    isEncrypted: "encrypted" in request.socket,
    isHead: request.method === "HEAD",
    httpVersion: request.httpVersion,
    target: request.url ?? "/",
    body,
    encodeList,
    openApiJson: state.openApiJson,
    signal: () => signalOfClose(response),
    room,
    holdEventStream,
  });
}

async function takeBody(
  route: Route,
  request: IncomingMessage,
  {
    context: { clock, limits },
    resources,
  }: { readonly context: Pick<Context, "clock" | "limits">; readonly resources: RequestResources },
): Promise<unknown> {
  if (route.body === undefined) return undefined;
  const { body: hold, admitBody: admit, endConnection } = resources;
  const bytesMax = route.body.bytesMax(limits);
  const bytes = await readBody(request, { bytesMax, hold, admit, clock, endConnection });
  return parseJsonBodyInTurns(bytes, request.headers["content-type"]);
}

/** Returns whether an operation was aborted because the client disconnected; there is nothing to report then. */
function isCallerAbort(error: unknown, { response }: Exchange): boolean {
  if (error instanceof RequestAborted) return true;
  const reason = error instanceof Problem ? error.cause : error;
  return response.destroyed && reason instanceof Error && reason.name === "AbortError";
}

/** Responds to OPTIONS with the methods of the path; other origins are granted nothing. */
function respondUnmatched(exchange: Exchange): HttpResponse {
  const methods =
    exchange.path === "*"
      ? ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
      : allowedMethods(exchange.path);
  if (methods.length === 0) throw notFound("Path");
  const allow = methods.join(", ");
  if (exchange.request.method === "OPTIONS") return { ...noContent, headers: { allow } };
  throw new ProblemWithHeaders(new Problem("method_not_allowed"), { allow });
}

/** The way of every request: guard, key, body, route, answer, observer. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ByteBudget, type ByteHold } from "../core/byte-budget.ts";
import { invalidField, notFound, Problem } from "../core/errors.ts";
import { KeySlots } from "../core/key-slots.ts";
import type { Limits } from "../core/limits.ts";
import { requireScope } from "../operations/require-scope.ts";
import { noContent, type HttpResponse } from "./http-response.ts";
import { recordCall } from "./audit.ts";
import { createResponseMemory, smallResponseBytesMax, type ResponseMemory } from "./response-memory.ts";
import { authenticateRequest, authenticateMonitor, challengeFor } from "./auth.ts";
import { ProblemWithHeaders, toErrorResponse } from "./error-response.ts";
import { toProviderCall } from "./provider-call.ts";
import { createHostGuard, isLocal } from "./host-guard.ts";
import type { HttpOptions } from "./options.ts";
import { readBody, RequestAborted } from "./read-body.ts";
import { permissionOf, type Call, type Route } from "./route.ts";
import type { Routing } from "./router.ts";
import { allowedMethods } from "./route-table.ts";
import { lengthOf, sendResponse } from "./send-response.ts";
import { refuseUnknownParameters } from "./unknown-parameters.ts";
import { isOfficialLibrary } from "./wire/dialect.ts";
import { parseJsonBody } from "./wire/json-body.ts";
import { createListEncoder } from "./wire/list-encoder.ts";

/** A request, its response, and what the router found. */
export interface Exchange extends Routing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a request holds until it is answered. */
interface Held {
  readonly body: ByteHold;
  readonly room: ResponseMemory;
  /** Names the caller's key once it is known; throws `too_many_requests` when it has too many requests under way. */
  readonly identify: (key: string) => void;
  /** Counts the answer as an event stream; throws `too_many_requests` when the key has too many. */
  readonly holdEventStream: () => void;
}

/** Answers a request and tells the observer. Never rejects, whatever the request or the service does. */
export type Serve = (exchange: Exchange) => Promise<void>;

/** What the app knows and the options do not. */
export interface ServeState {
  /** Whether the door is closing, so that every answer is its connection's last. */
  readonly isClosing: () => boolean;
  readonly openApiJson: () => Promise<Uint8Array>;
  /** Address of the client of a request, also of one that came through a tunnel or a trusted proxy. */
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** The pipeline behind the router. */
export function createServe(options: HttpOptions, state: ServeState): Serve {
  const { context, observer } = options;
  const { clock, limits } = context;
  const hold = createHolds(options, state);
  const respond = createResponder(options, state);

  /** The answer, or the refusal in its place; null where nobody is left to be answered. */
  const prepare = async (exchange: Exchange, held: Held, names: RequestNames): Promise<HttpResponse | null> => {
    const { room } = held;
    try {
      const ready = await respond(exchange, held);
      const length = lengthOf(ready.body ?? []);
      if (length > smallResponseBytesMax) await room.reserve(length);
      if (ready.stream === undefined) room.resize(length > smallResponseBytesMax ? length : 0);
      return ready;
    } catch (error) {
      room.release();
      if (error instanceof RequestAborted || isEndOfCaller(error, exchange)) return null;
      const refusal = toErrorResponse(error, challengeFor(exchange.request.headers));
      if (refusal.fault !== null) observer.failed({ ...refusal.fault, ...names });
      return refusal.response;
    } finally {
      held.body.release();
    }
  };

  return async (exchange) => {
    const startedAt = performance.now();
    const { request, response } = exchange;
    const names = { method: request.method ?? "", route: exchange.route?.path ?? "unmatched" };
    const held = hold(exchange);
    const { room } = held;
    const ready = await prepare(exchange, held, names);
    if (ready === null || response.destroyed) {
      room.release();
      return;
    }
    observer.answered({ ...names, status: ready.status, durationMs: performance.now() - startedAt });
    const { writeMsMax } = limits;
    try {
      const isHead = names.method === "HEAD";
      await sendResponse(response, ready, { isHead, isLast: state.isClosing(), clock, writeMsMax, room });
    } catch (error) {
      // The status has left: all that can still be said is that the answer is not whole.
      room.release();
      response.destroy();
      if (!(error instanceof RequestAborted)) observer.failed({ id: randomUUID(), ...names, error });
    }
  };
}

/** Opens what a request holds until it is answered, out of what all requests share. */
function createHolds({ context, memory }: HttpOptions, state: ServeState): (exchange: Exchange) => Held {
  const { clock, limits } = context;
  const budget = new ByteBudget(Math.max(limits.httpBytesInFlightMax, limits.contentBodyBytesMax), (isExhausted) => {
    memory?.changed("http_requests", isExhausted);
  });
  memory?.watch("http_requests", () => budget.bytesUsed);
  const rooms = createResponseMemory(limits, clock, memory);
  const requests = new KeySlots(limits.requestCountPerKeyMax, "requests");
  const eventStreams = new KeySlots(limits.eventStreamCountPerKeyMax, "event streams");
  return ({ request, response }) => {
    let key: string | undefined;
    const slots: (() => void)[] = [];
    const callerKey = (): string => key ?? state.clientAddress(request);
    const answer = rooms({ key: callerKey, gone: () => signalOfClose(response) });
    const release = (): void => {
      answer.release();
      for (const free of slots.splice(0)) free();
    };
    return {
      body: budget.hold(),
      room: { ...answer, release },
      identify: (keyId) => {
        key = keyId;
        slots.push(requests.take(keyId));
      },
      holdEventStream: () => slots.push(eventStreams.take(callerKey())),
    };
  };
}

/** Method and route as observers see them. */
interface RequestNames {
  readonly method: string;
  readonly route: string;
}

/** Guard, key, body and route: everything up to the answer. */
function createResponder(
  options: HttpOptions,
  state: ServeState,
): (exchange: Exchange, held: Held) => Promise<HttpResponse> {
  const { context, trustLoopback, web = null } = options;
  const guard = createHostGuard(options.hostRules);
  const toCall = createCalls(options, state);
  return async (exchange, { body, identify, ...held }) => {
    const { request, route, query, isAbsolute } = exchange;
    const { headers } = request;
    requireHost(request);
    guard(headers, isAbsolute);
    if (route === null) return respondUnmatched(exchange);
    const clientAddress = state.clientAddress(request);
    const isTrusted = (): boolean => trustLoopback && isLocal(headers, clientAddress);
    if (route.access === "open" || (route.access === "local" && isTrusted())) {
      return route.respond(toCall(exchange, held, undefined));
    }
    if (route.access === "provider") {
      return route.respond(await toProviderCall(request, toCall(exchange, held, undefined), body));
    }
    const known = { ...context, sessions: web?.sessions };
    const shown = { headers, method: request.method ?? "", url: request.url ?? "", query, clientAddress };
    if (route.access === "local") {
      await authenticateMonitor(known, shown);
      return route.respond(toCall(exchange, held, undefined));
    }
    const caller = await authenticateRequest(known, shown);
    identify(caller.principal.keyId);
    requireScope(caller.principal, permissionOf(route));
    if (!isOfficialLibrary(headers["user-agent"])) refuseUnknownParameters(route, query);
    const call = toCall(exchange, held, await takeBody(route, request, { limits: context.limits, hold: body }));
    const keyCall = { ...call, ...caller };
    const answered = await route.respond(keyCall);
    if ("audit" in route) await recordCall(keyCall, route.audit, answered);
    return answered;
  };
}

/** What turns an exchange with its body into what routes see. */
function createCalls(
  { context, health, listEnvelope, web }: HttpOptions,
  state: ServeState,
): (exchange: Exchange, held: Pick<Held, "room" | "holdEventStream">, body: unknown) => Call {
  const encodeList = createListEncoder(listEnvelope);
  return (exchange, { room, holdEventStream }, body) => ({
    context,
    service: health,
    web: web ?? null,
    ...requestMembers(exchange),
    clientAddress: state.clientAddress(exchange.request),
    body,
    room,
    holdEventStream,
    encodeList,
    openApiJson: state.openApiJson,
  });
}

/** What the exchange alone says. */
function requestMembers({
  request,
  response,
  path,
  id,
  query,
}: Exchange): Pick<Call, "path" | "id" | "query" | "headers" | "isEncrypted" | "isHead" | "gone"> {
  return {
    path,
    id,
    query,
    headers: request.headers,
    isEncrypted: "encrypted" in request.socket,
    isHead: request.method === "HEAD",
    gone: () => signalOfClose(response),
  };
}

async function takeBody(
  route: Route,
  request: IncomingMessage,
  { limits, hold }: { limits: Limits; hold: ByteHold },
): Promise<unknown> {
  if (route.body === undefined) return undefined;
  const bytes = await readBody(request, { bytesMax: route.body.bytesMax(limits), hold });
  return parseJsonBody(bytes, request.headers["content-type"]);
}

/** Whether an operation was ended by its signal because the caller has gone: nobody is to blame and nobody listens. */
function isEndOfCaller(error: unknown, { response }: Exchange): boolean {
  const reason = error instanceof Problem ? error.cause : error;
  return response.destroyed && reason instanceof Error && reason.name === "AbortError";
}

/** Throws a 400 for a request of HTTP/1.1 without Host (RFC 9112 §3.2). */
function requireHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === "1.1") {
    const problem = invalidField("Host", "A request of HTTP/1.1 needs the header field Host", "required");
    throw new ProblemWithHeaders(problem, { connection: "close" });
  }
}

/** OPTIONS tells the methods of a path and grants no other origin anything. */
function respondUnmatched(exchange: Exchange): HttpResponse {
  const methods =
    exchange.path === "*" ? ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] : allowedMethods(exchange.path);
  if (methods.length === 0) throw notFound("Path");
  const allow = methods.join(", ");
  if (exchange.request.method === "OPTIONS") return { ...noContent, headers: { allow } };
  throw new ProblemWithHeaders(new Problem("method_not_allowed"), { allow });
}

function signalOfClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    controller.abort();
  });
  return controller.signal;
}

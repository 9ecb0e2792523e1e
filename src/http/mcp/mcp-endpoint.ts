/** Model Context Protocol over Streamable HTTP: tools call the API of this service, as the key of the request. */
import { randomUUID } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import { type Api, readAtMost, targetOf } from "../../mcp/api.ts";
import type { createHttpHandler, ServedContext } from "../../mcp/protocol.ts";
import type { SmtpAddress } from "../../mcp/tool.ts";
import { onlyServer } from "../../operations/services/security/access.ts";
import { hostName, isLocal } from "../host-guard.ts";
import type { HttpResponse } from "../http-response.ts";
import type { RequestObserver } from "../options.ts";
import type { ResponseMemory } from "../response-memory.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute, type McpEndpoint } from "../route.ts";
import { build } from "../../core/schema.ts";

/** Request that a client may cancel by a later one. */
interface RunningCall {
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Forgets the request. */
  end(): void;
}

/** Names a request: ids are unique within a session of one key. */
interface CallName {
  readonly keyId: string;
  readonly session: string;
  /** JSON-RPC id. */
  readonly id: unknown;
}

/**
 * Requests of this node that are under way, for `notifications/cancelled`. A session only tells the requests of clients
 * with the same key apart: it permits nothing.
 */
class RunningCalls {
  readonly #calls = new Map<string, AbortController>();

  /** Adds a request. */
  start(name: CallName): RunningCall {
    const key = keyOf(name);
    const controller = new AbortController();
    this.#calls.set(key, controller);
    const end = (): void => {
      if (this.#calls.get(key) === controller) this.#calls.delete(key);
    };
    return { signal: controller.signal, end };
  }

  /** Cancels a request, if it is under way. */
  cancel(name: CallName): void {
    this.#calls.get(keyOf(name))?.abort();
  }

  /** Number of requests under way. */
  get count(): number {
    return this.#calls.size;
  }
}

function keyOf({ keyId, session, id }: CallName): string {
  return JSON.stringify([keyId, session, id]);
}

/** A JSON-RPC message, as far as the endpoint reads it. */
interface RpcMessage {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

const sessionField = "mcp-session-id";
/** Only distinguishes requests, so that a longer one is cut. */
const sessionLengthMax = 100;
const bothTypes = "application/json, text/event-stream";

/** Returns the endpoint of a service. The protocol is loaded with the first request. */
export function createMcpEndpoint(observer: RequestObserver): McpEndpoint {
  const contexts = new WeakMap<Request, ServedContext>();
  const running = new RunningCalls();
  let latest: Error | undefined;
  let handler: Promise<ReturnType<typeof createHttpHandler>> | undefined;
  const load = async (): Promise<ReturnType<typeof createHttpHandler>> => {
    const protocol = await import("../../mcp/protocol.ts");
    return protocol.createHttpHandler(
      (request) => contexts.get(request),
      (error) => (latest = error),
    );
  };
  const fail = (error: unknown): void => {
    observer.failed({ id: randomUUID(), method: "POST", route: "/mcp", error });
  };
  return {
    respond: async (call) => {
      const message = requireMessage(call.body);
      const started = startCall(running, call, message);
      const gone = started === null ? call.signal() : AbortSignal.any([call.signal(), started.signal]);
      const request = toRequest(call, gone);
      contexts.set(request, { ...contextOf(call), gone, onFailure: fail });
      try {
        const protocol = await (handler ??= load());
        const response = await protocol.fetch(request, { parsedBody: message });
        if (response.status >= 500) fail(latest ?? new Error("MCP request failed"));
        return await toHttpResponse(response, { message, room: call.room, end: () => started?.end() });
      } catch (error) {
        started?.end();
        throw error;
      }
    },
  };
}

/** Returns the message of a request; throws a 400 for batches, which MCP withdrew: each would count as one request. */
function requireMessage(body: unknown): RpcMessage {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw invalidField("body", "Must be one JSON-RPC message; batches are not supported", "invalid_type");
}

/** Starts a call that can be cancelled, or cancels one; null for messages that start none. */
function startCall(running: RunningCalls, call: KeyCall, message: RpcMessage): RunningCall | null {
  const session = call.headers[sessionField];
  if (typeof session !== "string") return null;
  const name = (id: unknown): CallName => {
    return { keyId: call.principal.keyId, session: session.slice(0, sessionLengthMax), id };
  };
  if (message.method === "notifications/cancelled") running.cancel(name(message.params?.requestId));
  return message.id === undefined ? null : running.start(name(message.id));
}

function contextOf(call: KeyCall): Omit<ServedContext, "gone" | "onFailure"> {
  const { principal, context } = call;
  const api: Api = async ({ method, headers = {}, body, bytesMax, ...others }, signal) => {
    const response = await call.subrequest({ method, target: targetOf(others), headers, body, signal });
    const content = await readAtMost(response.stream ?? response.body ?? [], bytesMax);
    return { status: response.status, headers: response.headers, ...content };
  };
  const { settings, clock } = context;
  return { api, server: onlyServer(principal), mailDomain: settings.mailDomain, smtp: () => smtpFor(call), clock };
}

/**
 * Returns the SMTP listener as the client reaches it: clients on other machines, or on the host of a container, use the
 * host name of their request.
 */
function smtpFor({ web, headers, clientAddress }: KeyCall): SmtpAddress {
  if (web === null) return "unknown";
  const { smtp } = web.addresses();
  if (smtp === null) return "off";
  if (isLocal(headers, clientAddress)) return smtp;
  const host = hostName(headers.host ?? "")?.replace(/^\[(.*)\]$/, "$1");
  return { host: host ?? smtp.host, port: smtp.port };
}

/** Returns the request as the SDK takes it: without credentials, and without the body, which is parsed already. */
function toRequest(call: KeyCall, signal: AbortSignal): Request {
  const own = Object.entries(call.headers).flatMap(([name, value]) =>
    name.startsWith("mcp-") && typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const { accept = "*/*" } = call.headers;
  const headers = [
    ...own,
    ["accept", accept === "*/*" ? bothTypes : accept] as [string, string],
    ["content-type", "application/json"] as [string, string],
  ];
  return new Request("http://localhost/mcp", { method: "POST", headers, signal });
}

async function toHttpResponse(
  response: Response,
  { message, room, end }: { message: RpcMessage; room: ResponseMemory; end: () => void },
): Promise<HttpResponse> {
  const contentType = response.headers.get("content-type");
  const headers = {
    ...(contentType !== null && { "content-type": contentType }),
    ...(message.method === "initialize" && response.ok && { [sessionField]: randomUUID() }),
  };
  if (response.body !== null && contentType?.startsWith("text/event-stream") === true) {
    return { status: response.status, headers, body: null, stream: reserving(response.body, room, end) };
  }
  const body = [Buffer.from(await response.arrayBuffer())];
  end();
  return { status: response.status, headers, body };
}

/** Yields the events of a stream, and reserves the memory of each until the connection has taken it. */
async function* reserving(
  events: ReadableStream<Uint8Array>,
  room: ResponseMemory,
  end: () => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const event of events) {
      await room.reserve(event.byteLength, true);
      yield event;
    }
  } finally {
    end();
  }
}

/**
 * `POST /mcp`: a message of an MCP client. Any key may call it: each tool needs the permission of the route that it
 * calls.
 */
export const mcpRoute: KeyRoute = {
  method: "POST",
  path: "/mcp",
  operationId: null,
  summary: "Call tools over the Model Context Protocol.",
  access: "key",
  permission: "any",
  body: { schema: build.freeObject(), bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "A JSON-RPC response, as JSON or as Server-Sent Events." }],
  problems: ["invalid_request"],
  respond: async (call) => call.mcp.respond(call),
};

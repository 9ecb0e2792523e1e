/** Routes: path, access, request, responses and implementation. The route table holds nothing else. */
import type { IncomingHttpHeaders } from "node:http";
import type { ProblemCode } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { Context } from "../operations/context.ts";
import type { Need } from "../core/api-key.ts";
import type { HttpResponse } from "./http-response.ts";
import type { ResponseMemory } from "./response-memory.ts";
import type { ServiceHealth } from "./options.ts";
import type { AuditRule } from "./audit.ts";
import type { Authenticated } from "./auth.ts";
import type { SendSubrequest } from "./subrequest.ts";
import type { WebUi } from "./web/assets.ts";
import type { ListEncoder } from "./wire/message-json.ts";
import type { Query } from "./wire/query.ts";
import type { WireSchema } from "../core/schema.ts";

/** HTTP methods of routes; GET routes also respond to HEAD. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request as a route receives it. */
export interface Call {
  readonly context: Context;
  readonly service: ServiceHealth;
  /** Null when there is no web UI. */
  readonly web: WebUi | null;
  readonly mcp: McpEndpoint;
  /** Path without the query string. */
  readonly path: string;
  /** The path's `:id`, decoded; "" when it has none. */
  readonly id: string;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly clientAddress: string;
  /** Whether the request came over TLS from end to end. */
  readonly isEncrypted: boolean;
  readonly isHead: boolean;
  /** `1.1`. */
  readonly httpVersion: string;
  /** Path with the query string, as the client sent it. */
  readonly target: string;
  /** Parsed JSON body; undefined when there was none or the route takes none. */
  readonly body: unknown;
  readonly encodeList: ListEncoder;
  /** Returns the OpenAPI document as JSON. */
  readonly openApiJson: () => Promise<Uint8Array>;
  /** Aborts when the client disconnects before the response. */
  readonly signal: () => AbortSignal;
  /** Memory of the response; a route that reads large content reserves it first. */
  readonly room: ResponseMemory;
  /** Counts the response as an event stream of its key; throws `too_many_requests` when there are too many. */
  readonly holdEventStream: () => void;
}

/** Responds to requests of MCP clients. */
export interface McpEndpoint {
  readonly respond: (call: KeyCall) => Promise<HttpResponse>;
}

/** An authenticated request. */
export interface KeyCall extends Call, Authenticated {
  /** Sends a request to another route on behalf of the caller. */
  readonly subrequest: SendSubrequest;
}

/** A parameter of the query string. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly schema: WireSchema<unknown>;
}

/** JSON body that a route takes. */
export interface BodyRule {
  readonly schema: WireSchema<unknown>;
  /** Members that the operation requires, with an error text of its own, besides those that the schema requires; `a.b` for the member of a member. */
  readonly required?: readonly string[];
  /** Whether the operation reads the body itself: null is the same as an absent member, "" is not. */
  readonly isStrict?: true;
  /** Returns the largest accepted body, in bytes. */
  readonly bytesMax: (limits: Limits) => number;
}

/** A successful response. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: WireSchema<unknown>;
  /** Header fields of interest to clients: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Members that all routes have. */
interface RouteBase {
  readonly method: Method;
  /** Starts with a slash; `:id` matches one segment, `*` at the end any rest. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document; null leaves the route out. */
  readonly operationId: string | null;
  /** One sentence. */
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  readonly body?: BodyRule;
  readonly successes: readonly Success[];
  /** Problems beside those that follow from `access`, `body` and the service as a whole. */
  readonly problems: readonly ProblemCode[];
}

/** A route that requires a key: any (`key`), or one of the whole account (`account`), which its operation checks. */
export interface KeyRoute extends RouteBase {
  readonly access: "key" | "account";
  /** Permission that the key's scope must include; `read` for GET and `manage` for other methods unless given. */
  readonly permission?: Need;
  /** Returns what the audit log records of a successful call; routes that only read have none. */
  readonly audit?: AuditRule;
  readonly respond: (call: KeyCall) => HttpResponse | Promise<HttpResponse>;
}

/** A route without authentication (`open`), or one that requires a key except from this machine (`local`). */
export interface OpenRoute extends RouteBase {
  readonly access: "open" | "local";
  readonly respond: (call: Call) => HttpResponse | Promise<HttpResponse>;
}

/** A request in the format of a provider. */
export interface ProviderCall extends Call {
  /** The whole URL, as the sender knows it. */
  readonly url: string;
  /** Reads the body; rejects as `readBody` does. */
  readonly readBody: (bytesMax: number) => Promise<Uint8Array>;
  /** Returns the memory of the body and of what was made of it, which ends with the response otherwise. */
  readonly releaseBody: () => void;
  /** Sets the key of the caller; throws `too_many_requests` when it has too many requests under way. */
  readonly identify: (key: string) => void;
}

/** A route in the format of a provider, which authenticates by a signature or by the provider's credentials. */
export interface ProviderRoute extends RouteBase {
  readonly access: "provider";
  readonly respond: (call: ProviderCall) => HttpResponse | Promise<HttpResponse>;
}

/** A row of the route table. */
export type Route = KeyRoute | OpenRoute | ProviderRoute;

/** Returns the permission that a key's scope must include for a route. */
export function permissionOf(route: Route): Need {
  const usual = route.method === "GET" ? "read" : "manage";
  return "permission" in route ? (route.permission ?? usual) : usual;
}

/** Returns the largest body of routes whose bodies carry no content. */
export function jsonBodyBytesMax(limits: Limits): number {
  return limits.jsonBodyBytesMax;
}

/** Returns the largest body of routes whose bodies carry content. */
export function contentBodyBytesMax(limits: Limits): number {
  return limits.contentBodyBytesMax;
}

/** Returns the context of a call for operations that drop queued work when the client disconnects. */
export function withSignal({ context, signal }: Pick<Call, "context" | "signal">): Context {
  return { ...context, gone: signal() };
}

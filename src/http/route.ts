/** What a route is: how it is found, who may call it, what it takes, what it answers. The table holds nothing else. */
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "../core/api-key.ts";
import type { ProblemCode } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { Context } from "../operations/context.ts";
import type { CallerPresence } from "../operations/caller-of.ts";
import type { Need } from "../operations/require-scope.ts";
import type { FormFields } from "../providers/form.ts";
import type { HttpResponse } from "./http-response.ts";
import type { ResponseMemory } from "./response-memory.ts";
import type { ServiceHealth } from "./options.ts";
import type { AuditRule } from "./audit.ts";
import type { WebUi } from "./web/web-ui.ts";
import type { ListEncoder } from "./wire/list-encoder.ts";
import type { Query } from "./wire/query.ts";
import type { WireSchema } from "./wire/schema.ts";

/** Methods that routes have; GET routes answer HEAD as well. */
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A request as a route sees it. */
export interface Call {
  readonly context: Context;
  readonly service: ServiceHealth;
  /** Null where there is no web UI. */
  readonly web: WebUi | null;
  /** Without the query string. */
  readonly path: string;
  /** The path's `:id`, decoded; "" where it has none. */
  readonly id: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly clientAddress: string;
  /** Whether the request came over TLS, all the way to us. */
  readonly isEncrypted: boolean;
  readonly isHead: boolean;
  /** The parsed JSON body; undefined where there was none or the route takes none. */
  readonly body: unknown;
  readonly encodeList: ListEncoder;
  /** The OpenAPI document as JSON. */
  readonly openApiJson: () => Promise<Uint8Array>;
  /** Aborts when the caller hangs up before the answer. */
  readonly gone: () => AbortSignal;
  /** Memory of the answer; a route that reads large content reserves it before. */
  readonly room: ResponseMemory;
  /** Counts the answer as an event stream of its key; throws `too_many_requests` when there are too many. */
  readonly holdEventStream: () => void;
}

/** A request whose key was found. */
export interface KeyCall extends Call {
  readonly principal: Principal;
  /** Whether a key or a browser session of one opened the call. */
  readonly via: "key" | "session";
  /** Whether the key or the session that opened the call still opens things. */
  readonly isOpen: () => Promise<boolean>;
}

/** A parameter in the query string. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly schema: WireSchema<unknown>;
}

/** A JSON body that a route takes. */
export interface BodyRule {
  readonly schema: WireSchema<unknown>;
  /** Largest body, in bytes. */
  readonly bytesMax: (limits: Limits) => number;
}

/** A successful answer. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: WireSchema<unknown>;
  /** Header fields that callers may read: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What all routes have. */
interface RouteBase {
  readonly method: Method;
  /** Starts with a slash; `:id` stands for one segment, `*` at the end for any rest. */
  readonly path: string;
  /** The operation's name in the OpenAPI document; null keeps the route out of it. */
  readonly operationId: string | null;
  /** One sentence. */
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  readonly body?: BodyRule;
  readonly successes: readonly Success[];
  /** Problems beside those that follow from `access`, `body` and the service as a whole. */
  readonly problems: readonly ProblemCode[];
}

/** A route that needs a key: any (`key`), or one for the whole account (`account`), which its operation checks. */
export interface KeyRoute extends RouteBase {
  readonly access: "key" | "account";
  /** What the key's scope must cover; `read` for GET and `manage` for other methods unless given. */
  readonly permission?: Need;
  /** Returns what the audit log records of a call that succeeded; routes that only read have none. */
  readonly audit?: AuditRule;
  readonly respond: (call: KeyCall) => HttpResponse | Promise<HttpResponse>;
}

/** A route for everybody (`open`), or for everybody on this machine and for keys from elsewhere (`local`). */
export interface OpenRoute extends RouteBase {
  readonly access: "open" | "local";
  readonly respond: (call: Call) => HttpResponse | Promise<HttpResponse>;
}

/** A request in the shape of an SMS provider. */
export interface ProviderCall extends Call {
  /** Fields of the body. */
  readonly form: FormFields;
  /** Fields of the query, then of the body. */
  readonly fields: FormFields;
  /** The whole URL, as the sender knows it. */
  readonly url: string;
}

/** A route in the shape of an SMS provider: tells by itself who calls, by a signature or by a provider's credentials. */
export interface ProviderRoute extends RouteBase {
  readonly access: "provider";
  readonly respond: (call: ProviderCall) => HttpResponse | Promise<HttpResponse>;
}

/** A row of the route table. */
export type Route = KeyRoute | OpenRoute | ProviderRoute;

/** Returns what a key's scope must cover for a route. */
export function permissionOf(route: Route): Need {
  const usual = route.method === "GET" ? "read" : "manage";
  return "permission" in route ? (route.permission ?? usual) : usual;
}

/** The body cap of routes whose bodies carry no content. */
export function jsonBodyBytesMax(limits: Limits): number {
  return limits.jsonBodyBytesMax;
}

/** Returns the context of a call for operations that drop queued work when the caller disconnects. */
export function withSignal({ context, gone }: Pick<Call, "context" | "gone">): Context & CallerPresence {
  return { ...context, gone: gone() };
}

/** Contract of the APIs of other mail catchers. Each is a folder of this room, and a line of `catcherTable`. */
import type { Principal } from "../core/api-key.ts";
import type { AuditAction, AuditedAction } from "../core/audit-entry.ts";
import type { Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { Call, Method, ProviderCall } from "../http/route.ts";
import type { Need } from "../core/api-key.ts";

/** Members of a call that endpoints read, and its memory and signals. */
type RequestMembers =
  | "context"
  | "params"
  | "query"
  | "headers"
  | "clientAddress"
  | "isHead"
  | "readBody"
  | "signal"
  | "holdEventStream"
  | "room";

/** Request to the API of another mail catcher; its key may access {@link CatcherCall.server}. */
export interface CatcherCall extends Pick<ProviderCall, RequestMembers> {
  /** Version of the service. */
  readonly version: string;
  /** Path of the API before those of its routes, without a slash at its end; empty for none. */
  readonly basePath: string;
  /** Server that the API shows. */
  readonly server: ServerId;
  /** Restricted to the server. */
  readonly principal: Principal;
  /** Returns whether the key is still valid. */
  readonly isOpen: () => Promise<boolean>;
  /** Records an action on the server in the audit log. */
  readonly record: (action: AuditAction, members: Partial<Pick<AuditedAction, "target" | "details">>) => Promise<void>;
}

/** Endpoint of the API of another mail catcher. */
export interface CatcherRoute {
  readonly method: Method;
  /** Starts with a slash; `:name` matches one segment, `*` at the end any rest. */
  readonly path: string;
  /** Permission that the key's scope must include; `none` for endpoints without authentication. */
  readonly permission: Need;
  readonly respond: (call: CatcherCall) => HttpResponse | Promise<HttpResponse>;
}

/** Endpoint without authentication. */
export interface OpenCatcherRoute extends Pick<CatcherRoute, "method" | "path"> {
  readonly permission: "none";
  readonly respond: (call: Pick<Call, "service">) => HttpResponse | Promise<HttpResponse>;
}

/** Returns routes that need the same permission, from their responses by method and path (`GET /api/v1/info`). */
export function catcherRoutes(
  permission: Need,
  rows: Readonly<Record<string, CatcherRoute["respond"]>>,
): readonly CatcherRoute[] {
  return Object.entries(rows).map(([line, respond]) => {
    const [method, path] = line.split(" ") as [Method, string];
    return { method, path, permission, respond };
  });
}

/** Returns the handler of an endpoint that always responds the same after an action. */
export function respondAfter(action: (call: CatcherCall) => unknown, response: HttpResponse): CatcherRoute["respond"] {
  return async (call) => {
    await action(call);
    return response;
  };
}

/** Returns the text of a problem with those of its fields. */
export function detailOf({ message, fields }: Problem): string {
  return [message, ...fields.map(({ field, description }) => `${field}: ${description}`)].join("; ");
}

/** Request whose path and method no route of the API has. */
export interface UnmatchedRequest {
  readonly method: string;
  readonly path: string;
  /** Methods of the path; empty for an unknown one. */
  readonly allowed: readonly Method[];
}

/** Subscriber to the events of a server. */
export type CatcherSubscriber = Pick<CatcherCall, "context" | "version" | "server" | "principal" | "signal" | "isOpen">;

/** Endpoint with a web socket, over which the service sends texts. */
export interface CatcherSocket {
  readonly path: string;
  readonly permission: Need;
  /** Yields the texts until the signal of the subscriber aborts; the next one is requested when the last one is sent. */
  readonly open: (subscriber: CatcherSubscriber) => AsyncGenerator<string, void>;
}

/** API of another mail catcher. */
export interface Catcher {
  readonly name: string;
  /** Whether paths match in any case; those of the routes are in lower case then. */
  readonly ignoresCase?: true;
  readonly routes: readonly (CatcherRoute | OpenCatcherRoute)[];
  readonly socket?: CatcherSocket;
  /** Paths of the mail catcher's web UI beside `/`, which are redirected to that of the service; none by default. */
  readonly pages?: readonly string[];
  /** Returns the response to other requests without a route; a 405 gets the field Allow. */
  readonly respondUnmatched: (request: UnmatchedRequest) => HttpResponse;
  /** Returns the header fields and the body of the mail catcher's error for a problem, whose text is `detail`. */
  readonly toErrorBody: (problem: Problem, detail: string) => Pick<HttpResponse, "headers" | "body">;
}

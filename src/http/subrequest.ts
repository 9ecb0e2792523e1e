/** Requests that a route makes on behalf of its caller, through the same checks as requests of clients. */
import { notFound } from "../core/errors.ts";
import { admit } from "../operations/services/security/access.ts";
import { recordCall } from "./audit.ts";
import { toErrorResponse } from "./error-response.ts";
import type { HttpResponse, HttpResponseHeaders } from "./http-response.ts";
import type { RequestObserver } from "./options.ts";
import { type KeyCall, type KeyRoute, permissionOf, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { rejectUnknownParameters } from "./unknown-parameters.ts";

/** A request within the service. */
export interface Subrequest {
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  readonly headers: HttpResponseHeaders;
  /** JSON value of the body. */
  readonly body: unknown;
  /** Aborts when the caller no longer needs the response. */
  readonly signal: AbortSignal;
}

/** Sends a request with the permissions of a caller; resolves also with error responses. */
export type SendSubrequest = (request: Subrequest) => Promise<HttpResponse>;

/** Responds to an authenticated request whose permission was checked, and records it in the audit log. */
export async function respondToKey(route: Pick<KeyRoute, "respond" | "audit">, call: KeyCall): Promise<HttpResponse> {
  const response = await route.respond(call);
  if (route.audit !== undefined) await recordCall(call, route.audit, response);
  return response;
}

/**
 * Returns a function that sends a request with the principal, address and memory of a call. Only routes that need a key
 * are found. Rejects only when the signal of the request has aborted.
 */
export function createSubrequests(
  findRoute: Router,
  observer: RequestObserver,
): (call: KeyCall, request: Subrequest) => Promise<HttpResponse> {
  return async (call, { method, target, headers, body, signal }) => {
    const { route, isAbsolute: _isAbsolute, ...routing } = findRoute({ method, url: target, headers: {} });
    try {
      const keyed = requireKeyRoute(route);
      const principal = admit(call.principal, { need: permissionOf(keyed), access: keyed.access });
      rejectUnknownParameters(keyed, routing.query);
      return await respondToKey(keyed, {
        ...call,
        ...routing,
        principal,
        headers,
        body,
        isHead: false,
        signal: () => signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const { response, logged } = toErrorResponse(error);
      if (logged !== null) observer.failed({ ...logged, method, route: route?.path ?? "unmatched" });
      return response;
    }
  };
}

function requireKeyRoute(route: Route | null): KeyRoute {
  if (route?.access === "key" || route?.access === "account") return route;
  throw notFound("Path");
}

import type { Context } from "../operations/context.ts";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import { authenticate } from "../operations/services/security/authenticate.ts";
import { hashKey } from "../operations/services/security/stored-secrets.ts";
import { coversPrincipal } from "../operations/services/security/principals.ts";
import { subjectOf } from "../operations/services/security/throttle.ts";
import { ownPageHeader, readSession, readSessionCookie, type Sessions } from "./web/sessions.ts";
import type { Query } from "./wire/query.ts";

/** Parts of a request that authentication reads. */
export interface AuthRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: Query;
  readonly clientAddress: string;
}

/** Dependencies of authentication; without `sessions` no cookie is valid. */
export type AuthContext = Context & { readonly sessions: Sessions | undefined };

/** Result of authentication. */
export interface Authenticated {
  readonly principal: Principal;
  /** Whether a key or a browser session of one authenticated the request. */
  readonly via: "key" | "session";
  /** Returns whether that key or session is still valid. Does not count as an attempt with a wrong key. */
  readonly isOpen: () => Promise<boolean>;
}

/**
 * Returns the principal of the request's key or, when it has none, of its session. Rejects with `unauthenticated` when
 * neither is valid, and with `too_many_requests` after too many wrong keys from its address. A key in the query string
 * never counts.
 */
export async function authenticateRequest(context: AuthContext, request: AuthRequest): Promise<Authenticated> {
  const key = readKey(request.headers.authorization);
  if (key !== undefined) {
    const { principal, isOpen } = await authenticate(context, { key, clientAddress: request.clientAddress });
    return { principal, via: "key", isOpen: async () => isOpen(principal) };
  }
  if (request.headers.authorization === undefined && request.query.has("key")) {
    throw new Problem("unauthenticated", {
      text: "Keys in the query string were withdrawn on 2022-05-11; send the key as the HTTP Basic user name",
    });
  }
  const find = finderOf(context.sessions, request);
  const principal = await find();
  if (principal === undefined) throw new Problem("unauthenticated");
  return { principal, via: "session", isOpen: async () => coversPrincipal(await find(), principal) };
}

/** Returns a function that looks up the request's session, by its two secrets or, for reads, by a ticket in the URL. */
function finderOf(
  sessions: Sessions | undefined,
  { headers, method, url }: AuthRequest,
): () => Promise<Principal | undefined> {
  const session = readSession(headers);
  if (session !== undefined) return async () => sessions?.principalOf(session);
  const cookie = readSessionCookie(headers);
  const site = headers["sec-fetch-site"];
  const isOwnRead =
    (method === "GET" || method === "HEAD") && (site === undefined || site === "same-origin" || site === "none");
  return async () => (cookie === undefined || !isOwnRead ? undefined : sessions?.principalOfTicket(url, cookie));
}

/**
 * Authenticates like {@link authenticateRequest}. While the store is unavailable, a key that was valid for the same
 * address before is accepted, so that monitoring sees the outage instead of a 401.
 */
export async function authenticateMonitor(context: AuthContext, request: AuthRequest): Promise<void> {
  try {
    await authenticateRequest(context, request);
  } catch (error) {
    const key = readKey(request.headers.authorization);
    const isOutage = error instanceof Problem && error.code === "unavailable";
    const wasRight =
      key !== undefined &&
      context.wrongSecrets.hasSucceeded(subjectOf(request.clientAddress), hashKey(context.secrets, key));
    if (!isOutage || !wasRight) throw error;
  }
}

/**
 * Returns the challenge of a 401: Basic for API clients and typed addresses, and a scheme unknown to browsers for the web
 * UI, since a Basic challenge would open the browser's own password dialog over the page. The web UI sends scripts'
 * requests, and has frames, images and downloads whose signed URLs expire.
 */
export function challengeFor({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): string {
  const mode = headers["sec-fetch-mode"];
  const target = headers["sec-fetch-dest"];
  const isScript = headers[ownPageHeader] !== undefined || (mode !== undefined && mode !== "navigate");
  const isEmbedded = target !== undefined && target !== "document" && target !== "empty";
  const isOfPage = isScript || isEmbedded || /^\/web\/|[?&]ticket=/.test(url);
  return isOfPage ? 'Session realm="restante"' : 'Basic realm="restante"';
}

/**
 * Returns the key of an Authorization field: the Basic user name, the Basic password when there is one (RFC 7617), or
 * the Bearer token (RFC 6750). Undefined when there is none.
 */
export function readKey(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const blank = authorization.indexOf(" ");
  if (blank === -1) return undefined;
  const credentials = authorization.slice(blank + 1).trim();
  switch (authorization.slice(0, blank).toLowerCase()) {
    case "basic":
      return readBasic(credentials);
    case "bearer":
      return credentials === "" ? undefined : credentials;
    default:
      return undefined;
  }
}

function readBasic(credentials: string): string | undefined {
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const user = colon === -1 ? pair : pair.slice(0, colon);
  const key = colon === -1 || colon === pair.length - 1 ? user : pair.slice(colon + 1);
  return key === "" ? undefined : key;
}

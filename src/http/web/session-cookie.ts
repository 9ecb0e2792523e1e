/** Where a browser's session travels: a cookie (RFC 6265), and a token that only scripts of our own origin hold. */
import type { IncomingHttpHeaders } from "node:http";
import { sessionMsMax, type SessionSecrets } from "./sessions.ts";

/** Header that our own pages send with every request; pages of other origins cannot (Fetch, CORS preflight). */
export const ownPageHeader = "x-restante-web";

/** Header that carries the page token of a session. */
export const pageTokenHeader = "x-restante-session";

/**
 * Returns the cookie's name. Cookies ignore ports, so several services on one machine would overwrite each other's; the
 * name carries the port of the Host field.
 */
export function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? "default";
  return `restante-${port}`;
}

/**
 * Returns both secrets of a request's session, or undefined unless a script of our own origin sent the request. Browsers
 * send the cookie to every port of this machine, so the cookie without the page token counts for nothing.
 */
export function readSession(headers: IncomingHttpHeaders): SessionSecrets | undefined {
  const page = headers[pageTokenHeader];
  const cookie = readSessionCookie(headers);
  const site = headers["sec-fetch-site"];
  const isOwnScript = typeof page === "string" && page !== "" && (site === undefined || site === "same-origin");
  return isOwnScript && cookie !== undefined ? { cookie, page } : undefined;
}

/** Returns the value of the session's cookie; undefined when there is none. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | undefined {
  const name = sessionCookieName(headers.host);
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [given = "", value = ""] = pair.trim().split("=", 2);
    if (given === name && value !== "") return value;
  }
  return undefined;
}

/** Returns the `Set-Cookie` value that begins a session, or ends it for null. `isSecure` restricts it to TLS. */
export function sessionCookie(host: string | undefined, cookie: string | null, isSecure: boolean): string {
  const seconds = cookie === null ? 0 : sessionMsMax / 1000;
  const secure = isSecure ? "; Secure" : "";
  const name = sessionCookieName(host);
  return `${name}=${cookie ?? ""}; Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
}

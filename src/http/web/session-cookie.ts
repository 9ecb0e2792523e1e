/** Transport of a browser session: a cookie (RFC 6265), and a token that only scripts of this origin know. */
import type { IncomingHttpHeaders } from "node:http";
import { sessionMsMax, type SessionSecrets } from "./sessions.ts";

/** Header that pages of the web UI send with every request; pages of other origins cannot (Fetch, CORS preflight). */
export const ownPageHeader = "x-restante-web";

/** Header with the page token of a session. */
export const pageTokenHeader = "x-restante-session";

/**
 * Returns the name of the cookie. It contains the port of the Host field, since cookies ignore ports and several
 * services on one machine would overwrite each other's.
 */
export function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? "default";
  return `restante-${port}`;
}

/**
 * Returns both secrets of a request's session, or undefined unless a script of this origin sent the request. Browsers
 * send the cookie to every port of a machine, so the cookie alone is not accepted.
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

/** Returns the `Set-Cookie` value that opens a session, or closes it for null. `isSecure` restricts it to TLS. */
export function sessionCookie(host: string | undefined, cookie: string | null, isSecure: boolean): string {
  const seconds = cookie === null ? 0 : sessionMsMax / 1000;
  const secure = isSecure ? "; Secure" : "";
  const name = sessionCookieName(host);
  return `${name}=${cookie ?? ""}; Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
}

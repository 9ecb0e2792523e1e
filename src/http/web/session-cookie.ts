/** The cookie of a browser's session (RFC 6265), and which requests it counts for. */
import type { IncomingHttpHeaders } from "node:http";
import { sessionMsMax } from "./sessions.ts";

/** The header that our own pages put into every request; no page of another origin can (Fetch, CORS-preflight). */
export const ownPageHeader = "x-restante-web";

const readMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Cookies know no ports, so that several services on one machine would overwrite each other's; the name carries the port
 * that was asked for.
 */
export function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? "default";
  return `restante-${port}`;
}

/** The session that a request's cookie names; undefined when there is none, or when no page of ours has asked. */
export function readSessionCookie(headers: IncomingHttpHeaders, method: string): string | undefined {
  if (!isOwnRequest(headers, method)) return undefined;
  const name = sessionCookieName(headers.host);
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [given = "", value = ""] = pair.trim().split("=", 2);
    if (given === name && value !== "") return value;
  }
  return undefined;
}

/** `Set-Cookie` that begins a session, or ends it for null. `isSecure` keeps the cookie off unencrypted connections. */
export function sessionCookie(host: string | undefined, session: string | null, isSecure: boolean): string {
  const seconds = session === null ? 0 : sessionMsMax / 1000;
  const secure = isSecure ? "; Secure" : "";
  const name = sessionCookieName(host);
  return `${name}=${session ?? ""}; Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Whether a page of this very origin has asked, or a person by typing the address. `SameSite` is not enough: a page on
 * another port of this machine is of the same site. Browsers say where a request comes from (Fetch Metadata) on trustworthy
 * origins; elsewhere SameSite and the Origin rule guard reading, and what changes something must carry our header always.
 */
function isOwnRequest(headers: IncomingHttpHeaders, method: string): boolean {
  const site = headers["sec-fetch-site"];
  const isRead = readMethods.has(method);
  if (!isRead && headers[ownPageHeader] === undefined) return false;
  return site === undefined || site === "same-origin" || (site === "none" && isRead);
}

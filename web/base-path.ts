/** Path below which a reverse proxy serves the service, which the service writes into the page. */

/** Returns the address of a path of the service, such as `/mail/api/servers`. */
export function addressOf(path: string): string {
  return basePath() + path;
}

/** Returns the path of the service for a path of the address bar. */
export function pathOf(pathname: string): string {
  const base = basePath();
  if (pathname === base) return "/";
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

/** Returns the name under which the browser keeps the token of the session: services below other paths of the host have others. */
export function tokenKey(): string {
  return `restante-session${basePath()}`;
}

/** Returns the path without a slash at its end; empty at the root of a host. */
function basePath(): string {
  return document.documentElement.dataset["base"] ?? "";
}

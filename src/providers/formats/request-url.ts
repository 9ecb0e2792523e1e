import type { ProviderRequest } from "../provider.ts";

/** Returns the URL of the service up to the path of the provider's API, as the caller knows it; without a slash at its end. */
export function urlBeforePath({ url, path }: Pick<ProviderRequest, "url" | "path">): string {
  const [address = ""] = url.split("?");
  return address.endsWith(path) ? address.slice(0, address.length - path.length) : new URL(url).origin;
}

/** Host of requests by `node:http` that the redirect module of Node programs has redirected. */
const redirectedHost = "mailosaur.com";
/** Header field in which the redirect module names the host that the program named. */
const namedHostField = "x-restante-host";

/**
 * Returns the URL of a provider's API for the next requests of a caller that accepts HTTPS only where it uses HTTPS itself, without
 * a slash at its end: with the host that the caller named. `ownHost` is a host of the provider whose requests are redirected.
 */
export function urlOfCaller(
  request: Pick<ProviderRequest, "url" | "path" | "headers" | "isEncrypted">,
  { isOwnHost, ownHost }: { readonly isOwnHost: RegExp; readonly ownHost: string },
): string {
  const { headers, isEncrypted = false } = request;
  const known = new URL(urlBeforePath(request));
  const { host = known.host, [namedHostField]: named } = headers;
  if (typeof named === "string" && isOwnHost.test(named)) return `https://${named}`;
  if (host === redirectedHost) return `https://${ownHost}`;
  if (isOwnHost.test(host)) return `https://${host}`;
  const origin = host === known.host ? known.origin : `${isEncrypted ? "https" : "http"}://${host}`;
  return `${origin}${known.pathname.replace(/\/$/, "")}`;
}

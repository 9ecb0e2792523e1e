/** Wrappers of `node:http`, `node:https` and `fetch` that redirect requests for the hosted service and for providers. */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from "node:http";
import type { RequestOptions as TlsRequestOptions } from "node:https";
import type { PrefixOfHost, RedirectTarget } from "./redirect-target.ts";

type Callback = (response: IncomingMessage) => void;
type Send = (options: TlsRequestOptions, callback?: Callback) => ClientRequest;
type Arguments = readonly [first: string | URL | TlsRequestOptions, ...rest: unknown[]];

/** Original functions that send requests. */
export interface RequestGround {
  readonly request: { readonly "http:": Send; readonly "https:": Send };
  readonly find: () => RedirectTarget;
  readonly prefixOf: PrefixOfHost;
}

/** `request` of `node:http` or `node:https`. */
export type AnyRequest = (...given: Arguments) => ClientRequest;

/**
 * Returns a `request` that redirects requests for redirected hosts and passes all others to `original`. `protocol` is that
 * of the module. Some libraries accept a base URL but always use `node:https`, which fails for `http:` URLs: requests to
 * the service itself are redirected too.
 */
export function redirectRequests(
  protocol: "http:" | "https:",
  original: AnyRequest,
  ground: RequestGround,
): AnyRequest {
  return (...given) => {
    const { options, callback } = readArguments(given);
    const prefix = ground.prefixOf(hostOf(options));
    const isService = protocol === "https:" && options.protocol === "http:" && isServiceMeant(options, ground);
    if (prefix === null && !isService) return original(...given);
    const path = `${prefix ?? ""}${options.path ?? "/"}`;
    const { origin, ca } = ground.find();
    const send = ground.request[origin.protocol === "https:" ? "https:" : "http:"];
    return send({ ...options, path, ...connectionTo(origin, ca), headers: withHost(options) }, callback);
  };
}

/** Returns a `fetch` that redirects requests for redirected hosts and passes all others to `original`. */
export function redirectFetch(
  original: typeof fetch,
  { find, prefixOf }: Pick<RequestGround, "find" | "prefixOf">,
): typeof fetch {
  return async (input, init) => {
    const url = urlOf(input);
    const prefix = url === null ? null : prefixOf(url.hostname);
    if (url === null || prefix === null) return original(input, init);
    const target = new URL(prefix + url.pathname + url.search, find().origin);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set(namedHostField, url.hostname);
    return original(input instanceof Request ? new Request(target, input) : target, { ...init, headers });
  };
}

function urlOf(input: string | URL | Request): URL | null {
  try {
    return new URL(input instanceof Request ? input.url : input);
  } catch {
    // Not a URL: the original function reports it.
    return null;
  }
}

/** Replaces every option that could change the target of the connection, including proxies and agents. */
function connectionTo(origin: URL, ca: string | null): TlsRequestOptions {
  const hostname = origin.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    protocol: origin.protocol,
    host: hostname,
    hostname,
    port: origin.port,
    agent: undefined,
    createConnection: undefined,
    lookup: undefined,
    socketPath: undefined,
    ...(origin.protocol === "https:" && { servername: "mailosaur.com", ...(ca !== null && { ca }) }),
  };
}

/** Header field with the host that the program named, from which links of responses are made. */
const namedHostField = "x-restante-host";

/** Adds the host name that the service always accepts, and the one that the program named. */
function withHost(options: TlsRequestOptions): RequestOptions["headers"] {
  const { headers } = options;
  if (Array.isArray(headers)) return headers as readonly string[];
  return { ...(headers as OutgoingHttpHeaders), host: "mailosaur.com", [namedHostField]: hostOf(options) };
}

/** Libraries that use `node:https` for plain HTTP also omit the port. */
function isServiceMeant(options: TlsRequestOptions, ground: RequestGround): boolean {
  try {
    const { hostname, port } = connectionTo(ground.find().origin, null);
    return hostOf(options) === hostname && (!options.port || String(options.port) === port);
  } catch {
    // No service is found: the request is not for it, and fails as it would without redirection.
    return false;
  }
}

function hostOf({ hostname, host }: TlsRequestOptions): string {
  return hostname ?? host?.replace(/:\d*$/, "") ?? "";
}

/** Parses arguments as `node:http` does: a URL as text or object, then options that take precedence, then the callback. */
function readArguments([first, ...rest]: Arguments): { options: TlsRequestOptions; callback: Callback | undefined } {
  const fromUrl = typeof first === "string" || first instanceof URL ? optionsOf(first) : first;
  const second = rest.find((one): one is TlsRequestOptions => typeof one === "object" && one !== null);
  const callback = rest.find((one): one is Callback => typeof one === "function");
  return { options: { ...fromUrl, ...second }, callback };
}

function optionsOf(given: string | URL): TlsRequestOptions {
  const url = urlOf(given);
  if (url === null) return {};
  const { protocol, hostname, port, pathname, search, username, password } = url;
  const auth = username === "" ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
  return { protocol, hostname, port, path: pathname + search, ...auth };
}

/** HTTP client of the UI: same origin, authenticated by the session cookie and the page token. */
import { addressOf, tokenKey } from "../base-path.ts";
import { strings } from "../strings.ts";
import type { ErrorBody } from "../wire.ts";

/** An error response of the service, or no response at all (`status` 0). Its message can be shown to users. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** Members of the request that were refused. */
  readonly fields: readonly string[];

  constructor(status: number, message: string, fields: readonly string[] = []) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Options for a request. */
interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request outlives the page. */
  readonly keepalive?: boolean;
  /** Aborts the request and the reading of its response. */
  readonly signal?: AbortSignal;
}

/**
 * Sends a request; throws {@link ApiError} for every response that is not a success. A read that was rejected because the page
 * has signed in again meanwhile is repeated with the new session.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const token = pageToken();
  const isRead = (options.method ?? "GET") === "GET";
  const early = isRead ? takeEarlyResponse(path, token) : undefined;
  const response = await (early ?? send(path, token, options)).catch(() => {
    // The browser's own text names no cause that a user could act on.
    throw new ApiError(0, strings.unreachable);
  });
  if (response.ok) return response;
  if (response.status === 401 && isRead && token !== null && isReplaced(token)) return request(path, options);
  throw await errorOf(response);
}

/** Returns whether the page has another session since a request was sent with a token. */
function isReplaced(token: string): boolean {
  const current = pageToken();
  return current !== null && current !== token;
}

async function send(path: string, token: string | null, options: RequestOptions): Promise<Response> {
  const { method = "GET", body, headers, keepalive = false, signal } = options;
  return fetch(addressOf(path), {
    method,
    keepalive,
    ...(signal !== undefined && { signal }),
    headers: {
      "x-restante-web": "1",
      ...(token !== null && { "x-restante-session": token }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Returns the response to a request that was sent before the code of the page was loaded, for the first use of it. */
function takeEarlyResponse(path: string, token: string | null): Promise<Response> | undefined {
  const early = window.restanteEarly;
  if (early === undefined || early.token !== token || performance.now() > earlyMsMax) return undefined;
  const response = early.responses.get(path);
  early.responses.delete(path);
  return response;
}

/** Later in the life of the page, in milliseconds, an early response is out of date. */
const earlyMsMax = 60_000;

/** Sends a request and returns the JSON value of the response. */
export async function requestJson<Value>(path: string, options?: RequestOptions): Promise<Value> {
  return (await (await request(path, options)).json()) as Value;
}

/** Returns the items of a list, which is an array or an envelope with `items`. */
export function itemsOf<Item>(list: readonly Item[] | { readonly items: readonly Item[] }): readonly Item[] {
  return "items" in list ? list.items : list;
}

async function errorOf(response: Response): Promise<ApiError> {
  // Not an error body of the service, for example that of a proxy: the status decides.
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  const details = body?.errors.flatMap((error) => error.detail.map((one) => one.description)) ?? [];
  const message = details.length > 0 ? details.join(". ") : body?.message;
  return new ApiError(
    response.status,
    message ?? response.statusText,
    body?.errors.map(({ field }) => field),
  );
}

/**
 * Token of the session: its second half, beside the cookie. Cookies are sent to every port of a host; the token is only available
 * to scripts of this origin: in its localStorage, which survives the last tab and is shared by all tabs, as the cookie is.
 */
let currentToken: string | null = readStored();

/** Takes the token over when another tab signs in, and calls `listener` then. */
export function watchPageToken(listener: () => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    // A tab that signs out ends the session for all of them, which the service tells them.
    if (key !== tokenKey() || newValue === null) return;
    currentToken = newValue;
    listener();
  });
}

/** Returns the token; null while no session is open. */
export function pageToken(): string | null {
  return currentToken;
}

/** Stores the token of a new session for all tabs of the origin, which share its cookie; null for a session that has ended. */
export function storePageToken(token: string | null): void {
  currentToken = token;
  try {
    if (token === null) localStorage.removeItem(tokenKey());
    else localStorage.setItem(tokenKey(), token);
  } catch {
    // Storage is disabled: the session then ends with a reload, and the page asks for the key again.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(tokenKey());
  } catch {
    // Storage is disabled: there is no token from before the reload.
    return null;
  }
}

/** The one way to the service: same origin, by the session's cookie and page token. */
import type { ErrorBody } from "../wire.ts";
import { pageToken } from "./page-token.ts";

/** A refusal by the service, or no answer at all (`status` 0). Its message is fit to be shown. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What is asked for. */
export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request outlives the page. */
  readonly keepalive?: boolean;
  /** Ends the request and the reading of its answer. */
  readonly signal?: AbortSignal;
}

/** Asks the service; rejects with {@link ApiError} for everything but success. */
export async function request(
  path: string,
  { method = "GET", body, headers, keepalive = false, signal }: RequestOptions = {},
): Promise<Response> {
  const token = pageToken();
  const response = await fetch(path, {
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
  }).catch((error: unknown) => {
    throw new ApiError(0, error instanceof Error ? error.message : String(error));
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Asks for a JSON value. */
export async function requestJson<Value>(path: string, options?: RequestOptions): Promise<Value> {
  return (await (await request(path, options)).json()) as Value;
}

/** A list, in whichever of its two forms it came. */
export function itemsOf<Item>(list: readonly Item[] | { readonly items: readonly Item[] }): readonly Item[] {
  return "items" in list ? list.items : list;
}

async function errorOf(response: Response): Promise<ApiError> {
  const refusal = (await response.json().catch(() => null)) as ErrorBody | null;
  const details = refusal?.errors.flatMap((error) => error.detail.map((one) => one.description)) ?? [];
  const message = details.length > 0 ? details.join(". ") : refusal?.message;
  return new ApiError(response.status, message ?? response.statusText);
}

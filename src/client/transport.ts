/** Requests of the client: authentication, time limits, retries and errors, for all resources. */
import { ConnectionError, errorOfResponse, RequestTimeoutError, ResponseError } from "./errors.ts";
import { type ContentKind, operations } from "./generated/operations.ts";
import type { Operations } from "./generated/types.ts";
import type { ClientSettings, RequestOptions } from "./options.ts";

/** First pause between two attempts; the next one is twice as long. */
const pauseMs = 200;
/** Longest time for which a retry waits; a service that asks for more is reported to the caller. */
const retryAfterMsMax = 10_000;
const safeMethods: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"]);

/** Whether requests of a method may be repeated. */
function isSafe(method: string): boolean {
  return safeMethods.has(method);
}

/** Whether a repeated deletion found nothing: a former attempt deleted it, and its response was lost. */
function isDone(error: unknown, method: string, attempt: number): boolean {
  return attempt > 1 && method === "DELETE" && error instanceof ResponseError && error.status === 404;
}

/** Returns milliseconds after which a failed request may be sent again; null when it must not. */
function delayOfRetry(error: unknown, isRepeatable: boolean, attempt: number): number | null {
  const backoff = pauseMs * 2 ** (attempt - 1);
  if (error instanceof ResponseError) return delayOfResponse(error, isRepeatable, backoff);
  if (!(error instanceof ConnectionError)) return null;
  return isRepeatable || isUnsent(error) ? backoff : null;
}

/** 429 precedes any work; 503 may come after some. */
function delayOfResponse(error: ResponseError, isRepeatable: boolean, backoff: number): number | null {
  const isTooMany = error.status === 429 && error.retryAfterMs !== null;
  if (!isTooMany && !(error.status === 503 && isRepeatable)) return null;
  const delay = error.retryAfterMs ?? backoff;
  return delay > retryAfterMsMax ? null : delay;
}

/** Whether the service refused the connection, so that it did not receive the request. */
function isUnsent({ cause }: ConnectionError): boolean {
  return codeOf(innerCauseOf(cause)) === "ECONNREFUSED";
}

/** Returns the reason of a failed `fetch`: in its cause in Node, in its message in browsers. */
function reasonOf(error: unknown): string {
  const reason = innerCauseOf(error);
  const code = codeOf(reason);
  const text = hasMessage(reason) ? reason.message : String(reason);
  return code === undefined || text.includes(code) ? text : `${code} ${text}`.trim();
}

function innerCauseOf(error: unknown): unknown {
  const { cause } = error as { readonly cause?: unknown };
  return hasMessage(cause) ? cause : error;
}

/** Not `instanceof`: in Jest, errors of `fetch` are of another realm. */
function hasMessage(error: unknown): error is { readonly message: string } {
  return typeof error === "object" && error !== null && "message" in error;
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** Id of an operation in the OpenAPI document. */
export type OperationId = keyof Operations;

/** Path parameters, query and body of an operation, as far as it has them. */
export type ParametersOf<Id extends OperationId> = Omit<Operations[Id], "response">;

/** Response to an operation. */
export type ResponseOf<Id extends OperationId> = Operations[Id]["response"];

/** Options of the transport beside those of callers. */
export interface TransportOptions extends RequestOptions {
  /** Header fields in addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a repetition is safe although the method is POST. */
  readonly isRepeatable?: boolean;
  /** Content of the response. Default: that of the document. */
  readonly content?: ContentKind;
}

/** Time functions of the transport, which tests replace. */
export interface TransportTime {
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  /** Resolves after a time; rejects with the reason of the signal. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Parsed response: its content, by its media type, and the response. */
export interface Received<Content> {
  readonly content: Content;
  readonly response: Response;
}

/** Sends the operations of the API. */
export interface Transport {
  readonly time: TransportTime;
  /** Runs an operation; resolves with its content. */
  call<Id extends OperationId>(
    id: Id,
    parameters: ParametersOf<Id>,
    options?: TransportOptions,
  ): Promise<ResponseOf<Id>>;
  /** Runs an operation; resolves with its content and the response, for its header fields. */
  receive<Id extends OperationId>(
    id: Id,
    parameters: ParametersOf<Id>,
    options?: TransportOptions,
  ): Promise<Received<ResponseOf<Id>>>;
  /** Starts an operation; resolves with the response as soon as its header section is complete. No retries. */
  open(id: OperationId, parameters: object, options?: TransportOptions): Promise<Response>;
}

interface Request {
  readonly method: string;
  readonly url: string;
  /** Method and path, for errors. */
  readonly name: string;
  readonly content: ContentKind;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string };
  readonly options: TransportOptions;
}

const realTime: TransportTime = {
  now: () => performance.now(),
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

/** Creates the transport of a client. */
export function createTransport(settings: ClientSettings, time: TransportTime = realTime): Transport {
  const receive: Transport["receive"] = async (id, parameters, options = {}) => {
    const request = requestOf(settings, id, { parameters, options });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(settings, request, readContent);
      } catch (error) {
        if (options.signal?.aborted) throw error;
        if (isDone(error, request.method, attempt))
          return { content: undefined as never, response: new Response(null, { status: 204 }) };
        const isRepeatable = isSafe(request.method) || options.isRepeatable === true;
        const delay = attempt > settings.retries ? null : delayOfRetry(error, isRepeatable, attempt);
        if (delay === null) throw error;
        await time.pause(delay, options.signal);
      }
    }
  };
  return {
    time,
    receive,
    call: async (id, parameters, options) => (await receive(id, parameters, options)).content,
    open: async (id, parameters, options = {}) =>
      sendOnce(settings, requestOf(settings, id, { parameters, options }), async (response) => response),
  };
}

function requestOf(
  settings: ClientSettings,
  id: OperationId,
  { parameters, options }: { readonly parameters: object; readonly options: TransportOptions },
): Request {
  const { method, path: template, content } = operations[id];
  const {
    path = {},
    query = {},
    body,
  } = parameters as {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segmentOf(path, name)));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, valueOf(value)]],
    ),
  ).toString();
  const hasBody = method === "POST" || method === "PUT";
  return {
    method,
    url: `${settings.url}${filled}${search === "" ? "" : `?${search}`}`,
    name: `${method} ${filled}`,
    content: options.content ?? content,
    init: {
      method,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        ...(hasBody && body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(hasBody && body !== undefined && { body: JSON.stringify(body) }),
    },
    options,
  };
}

/** Returns the names of the parameters in a path, in order. */
export function namesIn(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}

/** An id that is empty would name another route. */
function segmentOf(path: Readonly<Record<string, string>>, name: string): string {
  const value = path[name];
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError(`${name === "id" ? "id" : `${name} id`}: ${JSON.stringify(value)} is not an id`);
  return value;
}

function valueOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Sends a request once, and reads its response, within its time limit. */
async function sendOnce<Result>(
  settings: ClientSettings,
  request: Request,
  read: (response: Response, request: Request) => Promise<Result>,
): Promise<Result> {
  const { signal, requestTimeout = settings.requestTimeout } = request.options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort, { once: true });
  const timedOut = new RequestTimeoutError(
    `${request.name} had no response from ${settings.url} within ${String(requestTimeout)} ms`,
  );
  const timer = setTimeout(() => {
    controller.abort(timedOut);
  }, requestTimeout);
  try {
    const response = await settings.fetch(request.url, { ...request.init, signal: controller.signal });
    if (!response.ok) throw await errorOfResponse(response, request.name);
    return await read(response, request);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (error instanceof ResponseError) throw error;
    throw new ConnectionError(`${request.name}: ${reasonOf(error)} (is restante running at ${settings.url}?)`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    // A response that is still being read, such as an event stream, ends with the caller's signal.
    if (read === readContent) signal?.removeEventListener("abort", abort);
  }
}

async function readContent(response: Response, { content }: Request): Promise<Received<never>> {
  return { content: (await decode(response, content)) as never, response };
}

async function decode(response: Response, content: ContentKind): Promise<unknown> {
  if (response.status === 204 || content === "none") return undefined;
  if (content === "text") return response.text();
  if (content === "bytes") return new Uint8Array(await response.arrayBuffer());
  const json: unknown = await response.json();
  // The service can be set to wrap lists for all clients.
  return (content === "list" || content === "page") && !Array.isArray(json)
    ? (json as { readonly items?: unknown }).items
    : json;
}

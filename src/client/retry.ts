/** Rules of retries, and the reasons of failed connections. */
import { ConnectionError, ResponseError } from "./errors.ts";

/** First pause between two attempts; the next one is twice as long. */
const pauseMs = 200;
/** Longest time for which a retry waits; a service that asks for more is reported to the caller. */
const retryAfterMsMax = 10_000;
const safeMethods: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"]);

/** Whether requests of a method may be repeated. */
export function isSafe(method: string): boolean {
  return safeMethods.has(method);
}

/** Whether a repeated deletion found nothing: a former attempt deleted it, and its response was lost. */
export function isDone(error: unknown, method: string, attempt: number): boolean {
  return attempt > 1 && method === "DELETE" && error instanceof ResponseError && error.status === 404;
}

/** Returns milliseconds after which a failed request may be sent again; null when it must not. */
export function delayOfRetry(error: unknown, isRepeatable: boolean, attempt: number): number | null {
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
export function reasonOf(error: unknown): string {
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

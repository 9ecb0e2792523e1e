/** Requests that `restante listen` sends to the application. */
import type { Clock } from "../../core/clock.ts";

/** Request of an event. */
export interface OutgoingRequest {
  /** Type of the event. */
  readonly type: string;
  readonly request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly contentType: string;
    readonly body: Uint8Array;
  };
}

const timeoutMs = 15_000;

/** Posts a request and returns the outcome in words: status or error, and duration. Redirects are not followed. */
export async function forwardRequest(
  url: string,
  { headers, contentType, body }: OutgoingRequest["request"],
  clock: Pick<Clock, "monotonicMs">,
): Promise<string> {
  const startedAt = clock.monotonicMs();
  const duration = (): string => `(${String(Math.round(clock.monotonicMs() - startedAt))} ms)`;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": contentType },
      body: Buffer.from(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return `POST ${url} → ${String(response.status)} ${duration()}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `POST ${url} failed: ${cause instanceof Error ? cause.message : String(cause)} ${duration()}`;
  }
}

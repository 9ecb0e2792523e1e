/** Event stream of a server, resumed after lost connections. */
import { ConnectionError, UnavailableError } from "./errors.ts";
import type { RequestOptions } from "./options.ts";
import { Resource } from "./resource.ts";
import { readEvents } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";

/** Change of a server. Changes are numbered 1, 2, 3 … per server. */
export interface Change {
  readonly sequence: number;
  /** `failed`: a sent message cannot be delivered to a recipient. */
  readonly kind: "received" | "sent" | "deleted" | "emptied" | "failed";
  /** Id of the changed message; null when the server was emptied. */
  readonly id: string | null;
}

/** Options of an event stream. */
export interface StreamOptions extends RequestOptions {
  /** Only changes after this one, or after the cursor of a list. Default: changes from now on. */
  readonly after?: number | undefined;
}

/** Pause before the stream is opened again. */
const reconnectMs = 1_000;

/** Changes of servers as they happen. */
export class Events extends Resource {
  /**
   * Iterates over the changes of a server, without gaps or repetitions, until the loop is left or the signal aborts (then
   * it throws the signal's reason). Reconnects after lost connections; throws a `ResponseError` with status 410 when the
   * changes after the given one are no longer stored.
   */
  stream(server: string, options: StreamOptions = {}): AsyncGenerator<Change, void, undefined> {
    return streamChanges(this.transport, server, options);
  }
}

/** Iterates over the changes of a server; see {@link Events.stream}. */
export async function* streamChanges(
  transport: Transport,
  server: string,
  { after, signal, requestTimeout }: StreamOptions,
): AsyncGenerator<Change, void, undefined> {
  // The end of the loop closes the connection.
  const own = new AbortController();
  const abort = (): void => {
    own.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  const position = { after };
  try {
    for (;;) {
      own.signal.throwIfAborted();
      yield* untilBroken(connect(transport, server, { position, signal: own.signal, requestTimeout }), own.signal);
      await transport.time.pause(reconnectMs, own.signal);
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    own.abort();
  }
}

/** Yields the changes of one connection, and moves the position to the last one. */
async function* connect(
  transport: Transport,
  server: string,
  {
    position,
    ...options
  }: RequestOptions & {
    /** Position of the stream, which the next connection continues from. */
    readonly position: { after: number | undefined };
  },
): AsyncGenerator<Change, void, undefined> {
  const { after } = position;
  const query = { server, ...(after !== undefined && { after }) };
  const response = await transport.open("streamEvents", { query }, options);
  position.after ??= Number(response.headers.get("x-cursor") ?? 0);
  for await (const data of readEvents(response.body)) {
    const change = JSON.parse(data) as Change;
    position.after = change.sequence;
    yield change;
  }
}

/** Ends when the connection is lost or the service temporarily unavailable. */
async function* untilBroken(
  changes: AsyncGenerator<Change, void, undefined>,
  signal: AbortSignal,
): AsyncGenerator<Change, void, undefined> {
  try {
    yield* changes;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ConnectionError || error instanceof UnavailableError)) throw error;
  }
}

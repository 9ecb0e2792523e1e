/** Event stream of a server, resumed after lost connections. */
import { ConnectionError, UnavailableError } from "./errors.ts";
import type { RequestOptions } from "./options.ts";
import { Resource } from "./resource.ts";
import type { Transport, TransportTime } from "./transport.ts";

/** Longest event that is read; those of the service have some hundred characters. */
const eventLengthMax = 1_048_576;

/** The service sends a comment every 15 seconds; a longer silence is a dead connection. */
const silenceMsMax = 45_000;

/** Yields the data of each event of a stream (WHATWG HTML §9.2). Throws a `ConnectionError` when the stream breaks. */
async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  time: TransportTime,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await read(reader, time);
      if (done) return;
      buffer += decoder.decode(value, { stream: true }).replaceAll("\r\n", "\n");
      const events = buffer.split("\n\n");
      buffer = events.pop() ?? "";
      if (buffer.length > eventLengthMax) throw new ConnectionError("The event stream has an event without end");
      yield* events.map(dataOf).filter((data) => data !== null);
    }
  } finally {
    // The stream has already failed, or is no longer read.
    await reader.cancel().catch(() => undefined);
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  time: TransportTime,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  const over = new AbortController();
  const silence = time.pause(silenceMsMax, over.signal).then(() => {
    throw new Error("the service is silent");
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    throw new ConnectionError("The connection of the event stream broke", { cause });
  } finally {
    over.abort();
  }
}

/** Lines of comments and other fields are left out; an event without data is none. */
function dataOf(event: string): string | null {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? null : lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
}

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
      yield* untilBroken(
        connectStream(transport, server, { position, signal: own.signal, requestTimeout }),
        own.signal,
      );
      await transport.time.pause(reconnectMs, own.signal);
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    own.abort();
  }
}

/** Options of one connection of an event stream. */
export interface ConnectionOptions extends RequestOptions {
  /** Position of the stream, which the next connection continues from; moved when the change after it was handled. */
  readonly position: { after: number | undefined };
  /** Called once the service has accepted the connection. */
  readonly onOpen?: () => void;
}

/** Yields the changes of one connection. Throws a `ConnectionError` when it is lost, and as the request does. */
export async function* connectStream(
  transport: Transport,
  server: string,
  { position, onOpen, ...options }: ConnectionOptions,
): AsyncGenerator<Change, void, undefined> {
  const { after } = position;
  const query = { server, ...(after !== undefined && { after }) };
  const response = await transport.open("streamEvents", { query }, options);
  position.after ??= Number(response.headers.get("x-cursor") ?? 0);
  onOpen?.();
  for await (const data of readEvents(response.body, transport.time)) {
    const change = JSON.parse(data) as Change;
    yield change;
    position.after = change.sequence;
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

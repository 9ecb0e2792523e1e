/** Client of the event stream of a server, which reconnects where it was disconnected. */
import type { Change } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";

/** Stream to follow. */
export interface FollowedStream {
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly server: string;
  readonly clock: Clock;
  /** Reports the connection to the user. */
  readonly report: (text: string) => void;
  /** Handles a change; the next one waits for it. When it rejects, the change is read again. */
  readonly onChange: (change: Change) => Promise<void>;
}

const retryMs = 1000;
/** The service sends a comment every 15 seconds; a longer silence is a dead connection. */
const silenceMsMax = 45_000;

/** Error that a retry does not remove. */
class RefusedStream extends Error {
  override readonly name: string = "RefusedStream";
}

/**
 * Follows the stream for ever, from its present end: reconnects after the last change that was handled, so that none is
 * skipped. Rejects with an `Error` for the operator when the service refuses the key or the server.
 */
export async function followEvents(stream: FollowedStream): Promise<never> {
  // Timers of the clock do not keep the process alive.
  const alive = setInterval(() => undefined, silenceMsMax);
  try {
    return await reconnectForever(stream);
  } finally {
    clearInterval(alive);
  }
}

async function reconnectForever(stream: FollowedStream): Promise<never> {
  const { clock, report } = stream;
  const position: Position = { after: null };
  let [wasConnected, isConnected] = [false, true];
  for (;;) {
    try {
      await readStream(stream, position, () => {
        report(wasConnected ? "Reconnected" : `Listening to server ${stream.server}`);
        [wasConnected, isConnected] = [true, true];
      });
    } catch (error) {
      if (error instanceof RefusedStream) throw error;
      if (isConnected) report(`Disconnected: ${reasonOf(error)}; retrying`);
      isConnected = false;
    }
    await new Promise<void>((resolve) => clock.after(retryMs, resolve));
  }
}

interface Position {
  /** Last change that was handled; null before the first connection. */
  after: number | null;
}

async function readStream(
  { url, key, server, clock, report, onChange }: FollowedStream,
  position: Position,
  onOpen: () => void,
): Promise<void> {
  const silence = new AbortController();
  const watch = watchSilence(clock, silence);
  try {
    const after = position.after === null ? "" : `&after=${String(position.after)}`;
    const response = await fetch(`${url}/api/events?server=${encodeURIComponent(server)}${after}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: silence.signal,
    });
    if (response.status === 410) {
      report("The service no longer stores the next events; some were skipped");
      position.after = null;
      return;
    }
    if (response.status === 401)
      throw new RefusedStream("Invalid API key; set RESTANTE_API_KEY to a key of this service");
    if (response.status === 404) throw new RefusedStream(`There is no server ${server}`);
    if (!response.ok) throw new Error(`the service responded with status ${String(response.status)}`);
    position.after ??= Number(response.headers.get("x-cursor"));
    onOpen();
    for await (const change of changesOf(response, watch.reset)) {
      await onChange(change);
      position.after = change.sequence;
      watch.reset();
    }
  } finally {
    watch.stop();
    silence.abort();
  }
}

async function* changesOf({ body }: Response, onBytes: () => void): AsyncGenerator<Change, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    onBytes();
    text += decoder.decode(chunk, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const found = /^data: (.*)$/m.exec(event)?.[1];
      if (found !== undefined) yield JSON.parse(found) as Change;
    }
  }
}

/** Aborts when nothing was received for too long. */
function watchSilence(
  clock: Clock,
  silence: AbortController,
): { readonly reset: () => void; readonly stop: () => void } {
  const start = (): (() => void) =>
    clock.after(silenceMsMax, () => {
      silence.abort(new Error("the service is silent"));
    });
  let stop = start();
  return {
    reset: () => {
      stop();
      stop = start();
    },
    stop: () => {
      stop();
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

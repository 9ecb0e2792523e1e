/** Notifications of changes to a server: by event stream, or by polling where no stream gets through. */
import { ApiError, request } from "../api/client.ts";
import { isOutage } from "../api/outage.ts";

/** Transport of change events to the page. */
export type LiveState = "live" | "polling" | "offline";

/** Receives changes and the state of the connection. */
export interface ChangeListener {
  /** `kind` is the name of the event; null when changes may have been missed. */
  readonly onChange: (kind: string | null) => void;
  readonly onState: (state: LiveState) => void;
  /** Whether a hidden page keeps its connection. */
  readonly isNeededWhileHidden?: () => boolean;
}

const changeKinds: ReadonlySet<string> = new Set(["received", "sent", "deleted", "emptied", "failed", "marked"]);
const reopenMs = 1000;
const pollMs = 2000;
const retryMs = 30_000;
/** A hidden page closes its connection after this time: browsers open few connections per origin. */
const hiddenMsMax = 300_000;

/** Subscribes until the returned function is called. After an interruption the listener is notified once. */
export function openChangeStream(server: string, listener: ChangeListener): () => void {
  let source: AbortController | null = null;
  let timer = 0;
  let hiddenTimer = 0;
  let cursor = "";
  let isClosed = false;

  const close = (): void => {
    source?.abort();
    source = null;
    clearTimeout(timer);
  };
  const open = (): void => {
    close();
    const opened = new AbortController();
    source = opened;
    void followStream(server, listener, opened.signal)
      .then((isRejected) => {
        onStreamEnd(opened, isRejected);
        return isRejected;
      })
      .catch(reportError);
  };
  const onStreamEnd = (opened: AbortController, isRejected: boolean): void => {
    if (source !== opened) return;
    close();
    if (isRejected) {
      void poll(Date.now() + retryMs);
      return;
    }
    listener.onState("offline");
    timer = window.setTimeout(open, reopenMs);
  };
  const poll = async (retryAt: number): Promise<void> => {
    const { state, cursor: found } = await readCursor(server);
    if (isClosed || source !== null) return;
    listener.onState(state);
    if (found !== cursor) listener.onChange(null);
    cursor = found;
    if (Date.now() >= retryAt) open();
    else timer = window.setTimeout(() => void poll(retryAt), pollMs);
  };
  const onVisibility = (): void => {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      hiddenTimer = window.setTimeout(() => {
        if (listener.isNeededWhileHidden?.() !== true) close();
      }, hiddenMsMax);
    } else if (source === null) open();
  };

  open();
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    clearTimeout(hiddenTimer);
    close();
    isClosed = true;
  };
}

/** Reads one stream to its end; resolves with whether the service or a proxy rejected it, rather than it breaking off. */
async function followStream(server: string, listener: ChangeListener, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await request(`/api/events?server=${server}`, { signal });
    listener.onState("live");
    listener.onChange(null);
    if (body === null) return true;
    await readEvents(body, (name) => {
      if (changeKinds.has(name)) listener.onChange(name);
    });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0;
  }
}

/**
 * Reads the number of the server's last change; an expired session counts as a change, so that the page notices it. A service
 * that rejects the request is connected.
 */
async function readCursor(server: string): Promise<{ readonly state: LiveState; readonly cursor: string }> {
  try {
    const { headers } = await request(`/api/messages?server=${server}&itemsPerPage=1`);
    return { state: "polling", cursor: headers.get("x-cursor") ?? "" };
  } catch (error) {
    const isSignedOut = error instanceof ApiError && error.status === 401;
    return { state: isOutage(error) ? "offline" : "polling", cursor: isSignedOut ? "signed-out" : "" };
  }
}

/** Parser of server-sent events (WHATWG HTML §9.2) in a fetched body; EventSource cannot send the session header. */

/** Calls `onEvent` with the name of each event; resolves at the end of the stream, rejects when it breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (name: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) onEvent(line.slice("event: ".length));
    }
  }
}

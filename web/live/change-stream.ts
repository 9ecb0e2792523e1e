/** Hears of a server's changes: by the event stream, or by asking again and again where no stream comes through. */
import { ApiError, request } from "../api/client.ts";
import { readEvents } from "./read-events.ts";

/** How changes are heard of. */
export type LiveState = "live" | "polling" | "offline";

/** What whoever listens wants to know. */
export interface ChangeListener {
  readonly onChange: () => void;
  readonly onState: (state: LiveState) => void;
}

const changeKinds: ReadonlySet<string> = new Set(["received", "sent", "deleted", "emptied"]);
const reopenMs = 1000;
const pollMs = 2000;
const retryMs = 30_000;
/** A hidden page lets its connection go after so long: browsers have few for each origin. */
const hiddenMsMax = 300_000;

/** Listens until the returned function is called. After a break the listener is told once, whatever was missed. */
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
      .then((isRefused) => {
        end(opened, isRefused);
        return isRefused;
      })
      .catch(reportError);
  };
  const end = (opened: AbortController, isRefused: boolean): void => {
    if (source !== opened) return;
    close();
    if (isRefused) {
      void look(Date.now() + retryMs);
      return;
    }
    listener.onState("offline");
    timer = window.setTimeout(open, reopenMs);
  };
  const poll = (retryAt: number): void => {
    timer = window.setTimeout(() => void look(retryAt), pollMs);
  };
  const look = async (retryAt: number): Promise<void> => {
    const { state, cursor: found } = await readCursor(server);
    if (isClosed || source !== null) return;
    listener.onState(state);
    if (found !== cursor) listener.onChange();
    cursor = found;
    if (Date.now() >= retryAt) open();
    else poll(retryAt);
  };
  const onVisibility = (): void => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = window.setTimeout(close, hiddenMsMax);
    else if (source === null) open();
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

/** Follows one stream to its end; resolves with whether the service, or a proxy, refused it instead of breaking it off. */
async function followStream(server: string, listener: ChangeListener, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await request(`/api/events?server=${server}`, { signal });
    listener.onState("live");
    listener.onChange();
    if (body === null) return true;
    await readEvents(body, (name) => {
      if (changeKinds.has(name)) listener.onChange();
    });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0;
  }
}

/** Where the server's changes stand; a session that has ended counts as a change, so that the page finds out. */
async function readCursor(server: string): Promise<{ readonly state: LiveState; readonly cursor: string }> {
  try {
    const { headers } = await request(`/api/messages?server=${server}&itemsPerPage=1`);
    return { state: "polling", cursor: headers.get("x-cursor") ?? "" };
  } catch (error) {
    return { state: "offline", cursor: error instanceof ApiError && error.status === 401 ? "ended" : "" };
  }
}

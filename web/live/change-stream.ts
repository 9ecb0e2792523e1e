/** Hears of a server's changes: by the event stream, or by asking again and again where no stream comes through. */
import { ApiError, ask } from "../api/client.ts";

/** How changes are heard of. */
export type LiveState = "live" | "polling" | "offline";

/** What whoever listens wants to know. */
export interface ChangeListener {
  readonly onChange: () => void;
  readonly onState: (state: LiveState) => void;
}

const changeKinds = ["received", "sent", "deleted", "emptied"];
const pollMs = 2000;
const retryMs = 30_000;
/** A hidden page lets its connection go after so long: browsers have few for each origin. */
const hiddenMsMax = 300_000;

/** Listens until the returned function is called. After a break the listener is told once, whatever was missed. */
export function openChangeStream(server: string, listener: ChangeListener): () => void {
  let source: EventSource | null = null;
  let timer = 0;
  let hiddenTimer = 0;
  let cursor = "";
  let isClosed = false;

  const close = (): void => {
    source?.close();
    source = null;
    clearTimeout(timer);
  };
  const open = (): void => {
    close();
    const opened = new EventSource(`/api/events?server=${server}`);
    source = opened;
    opened.addEventListener("open", () => {
      listener.onState("live");
      listener.onChange();
    });
    opened.addEventListener("error", () => {
      if (opened.readyState !== EventSource.CLOSED) {
        listener.onState("offline");
        return;
      }
      close();
      void look(Date.now() + retryMs);
    });
    for (const kind of changeKinds) opened.addEventListener(kind, listener.onChange);
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

/** Where the server's changes stand; a session that has ended counts as a change, so that the page finds out. */
async function readCursor(server: string): Promise<{ readonly state: LiveState; readonly cursor: string }> {
  try {
    const { headers } = await ask(`/api/messages?server=${server}&itemsPerPage=1`);
    return { state: "polling", cursor: headers.get("x-cursor") ?? "" };
  } catch (error) {
    return { state: "offline", cursor: error instanceof ApiError && error.status === 401 ? "ended" : "" };
  }
}

/** Desktop notifications of messages that arrive while the page is not in front. */
import { itemsOf, request } from "../api/client.ts";
import { navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { addressOf } from "../shared/format.ts";
import { strings } from "../strings.ts";
import type { Summary } from "../wire.ts";

/** Messages that one request asks for; more are summed up as more than this number. */
const countMax = 100;
/** Messages within this time are one notification. */
const gatherMs = 1000;

/** Watcher of arrivals on a server. */
export interface ArrivalWatcher {
  /** To be called when messages may have arrived. */
  readonly onChange: () => void;
  readonly close: () => void;
}

/**
 * Watches for messages that arrive while the page is hidden or another window has the focus, and shows one notification for
 * those that arrive within a second. A click on it opens the message or, for several, the list.
 */
export function watchArrivals(server: string): ArrivalWatcher {
  /** Last change of the server that the user may have seen; null while that is unknown. */
  let cursor: string | null = null;
  let timer = 0;
  const leave = (): void => {
    cursor = null;
    void readArrivals(server, null)
      .then((found) => {
        cursor ??= found.cursor;
        return found;
      })
      // Without the service there are no arrivals; the next change reads again.
      .catch(() => undefined);
  };
  const announce = async (): Promise<void> => {
    timer = 0;
    if (isInFront() || cursor === null) return;
    const found = await readArrivals(server, cursor);
    cursor = found.cursor;
    if (found.messages.length > 0 && !isInFront()) show(server, found);
  };
  const onChange = (): void => {
    if (timer !== 0 || isInFront()) return;
    // Without the service there are no arrivals; the next change reads them too.
    timer = window.setTimeout(() => void announce().catch(() => undefined), gatherMs);
  };
  const onVisibility = (): void => {
    if (document.hidden) leave();
  };
  leave();
  addEventListener("blur", leave);
  document.addEventListener("visibilitychange", onVisibility);
  return {
    onChange,
    close: () => {
      clearTimeout(timer);
      removeEventListener("blur", leave);
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}

interface Arrivals {
  readonly messages: readonly Summary[];
  readonly hasMore: boolean;
  readonly cursor: string;
}

async function readArrivals(server: string, after: string | null): Promise<Arrivals> {
  const parameters = new URLSearchParams({ server, itemsPerPage: String(after === null ? 1 : countMax) });
  if (after !== null) parameters.set("after", after);
  const response = await request(`/api/messages?${parameters.toString()}`);
  const messages = itemsOf((await response.json()) as readonly Summary[]);
  return { messages, hasMore: response.headers.has("link"), cursor: response.headers.get("x-cursor") ?? "0" };
}

function show(server: string, { messages, hasMore }: Arrivals): void {
  const [message] = messages;
  if (message === undefined) return;
  const labels = strings.desktop;
  const isOne = messages.length === 1;
  const notification = new Notification(
    isOne ? message.subject || message.summary || strings.list.noSubject : labels.several(messages.length, hasMore),
    {
      body: isOne ? labels.from(message.from.map(addressOf).join(", ")) : message.subject || message.summary,
      // A further notification of the server replaces the one before.
      tag: `restante ${server}`,
    },
  );
  notification.addEventListener("click", () => {
    window.focus();
    navigate(routePath({ kind: "mail", server, message: isOne ? message.id : null, tab: null }));
    notification.close();
  });
}

function isInFront(): boolean {
  return !document.hidden && document.hasFocus();
}

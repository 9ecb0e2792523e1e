/**
 * The second half of the session, beside the cookie. Cookies are sent to every port of a host; this token is only available
 * to scripts of this origin: in the tab's sessionStorage, which survives a reload, and through other tabs of the origin.
 */

const storageKey = "restante-session";
/** Longest wait for the token of another tab, in milliseconds. */
const requestMsMax = 150;

/** Message between tabs; the wire value "ask" requests the token. */
type TokenMessage = { readonly kind: "ask" } | { readonly kind: "token"; readonly token: string };

const channel = new BroadcastChannel("restante-session");
let current: string | null = readStored();

let onToken: (() => void) | null = null;

channel.addEventListener("message", ({ data }: MessageEvent<TokenMessage>) => {
  if (data.kind === "token") {
    store(data.token);
    onToken?.();
  } else if (current !== null) broadcast({ kind: "token", token: current });
});

/** Calls `listener` when another tab sends its token: after signing in, or later than {@link requestPageToken} waits. */
export function watchPageToken(listener: () => void): void {
  onToken = listener;
}

/** Returns the token; null while no session is open. */
export function pageToken(): string | null {
  return current;
}

/** Stores the token of a new session for this tab and all other tabs of the origin, which share its cookie. */
export function storePageToken(token: string): void {
  store(token);
  broadcast({ kind: "token", token });
}

/** Removes the token from this tab. */
export function clearPageToken(): void {
  store(null);
}

/** Requests the token from other tabs if this one has none; resolves with the first response or after a time-out. */
export async function requestPageToken(): Promise<void> {
  if (current !== null) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      channel.removeEventListener("message", onMessage);
      clearTimeout(timer);
      resolve();
    };
    const onMessage = (): void => {
      if (current !== null) finish();
    };
    const timer = setTimeout(finish, requestMsMax);
    channel.addEventListener("message", onMessage);
    broadcast({ kind: "ask" });
  });
}

function broadcast(message: TokenMessage): void {
  channel.postMessage(message);
}

function store(token: string | null): void {
  current = token;
  try {
    if (token === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, token);
  } catch {
    // Storage is disabled: the session then ends with a reload, and the page asks for the key again.
  }
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(storageKey);
  } catch {
    // Storage is disabled: there is no token from before the reload.
    return null;
  }
}

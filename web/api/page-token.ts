/**
 * The half of the session that the cookie does not hold. Cookies reach every port of a machine; this token stays with scripts
 * of this origin: in the tab's sessionStorage, so that a reload keeps it, and with tabs of this origin that ask for it.
 */

const storageKey = "restante-session";
/** Longest wait for another tab's token. */
const askMsMax = 150;

type TokenMessage = { readonly kind: "request" } | { readonly kind: "token"; readonly token: string };

const channel = new BroadcastChannel("restante-session");
let current: string | null = readStored();

channel.addEventListener("message", ({ data }: MessageEvent<TokenMessage>) => {
  if (data.kind === "token") store(data.token);
  else if (current !== null) broadcast({ kind: "token", token: current });
});

/** The token; null while nobody is signed in. */
export function pageToken(): string | null {
  return current;
}

/** Keeps the token of a new session, for this tab and for all others of this origin: they share its cookie. */
export function storePageToken(token: string): void {
  store(token);
  broadcast({ kind: "token", token });
}

/** Forgets the token in this tab. */
export function clearPageToken(): void {
  store(null);
}

/** Asks other tabs for the token where this one has none; resolves with the first answer, or soon without one. */
export async function requestPageToken(): Promise<void> {
  if (current !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, askMsMax);
    channel.addEventListener("message", function answered() {
      if (current === null) return;
      channel.removeEventListener("message", answered);
      clearTimeout(timer);
      resolve();
    });
    broadcast({ kind: "request" });
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
    // Storage is switched off: the session then ends with a reload, which asks for the key again.
  }
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/**
 * The second half of the session, beside the cookie. Cookies are sent to every port of a host; this token is only available to
 * scripts of this origin: in its localStorage, which survives the last tab and is shared by all tabs, as the cookie is.
 */
import { tokenKey } from "../base-path.ts";

let current: string | null = readStored();

/** Takes the token over when another tab signs in, and calls `listener` then. */
export function watchPageToken(listener: () => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    // A tab that signs out ends the session for all of them, which the service tells them.
    if (key !== tokenKey() || newValue === null) return;
    current = newValue;
    listener();
  });
}

/** Returns the token; null while no session is open. */
export function pageToken(): string | null {
  return current;
}

/** Stores the token of a new session for all tabs of the origin, which share its cookie. */
export function storePageToken(token: string): void {
  store(token);
}

/** Removes the token of a session that has ended. */
export function clearPageToken(): void {
  store(null);
}

function store(token: string | null): void {
  current = token;
  try {
    if (token === null) localStorage.removeItem(tokenKey());
    else localStorage.setItem(tokenKey(), token);
  } catch {
    // Storage is disabled: the session then ends with a reload, and the page asks for the key again.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(tokenKey());
  } catch {
    // Storage is disabled: there is no token from before the reload.
    return null;
  }
}

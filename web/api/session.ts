import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Session } from "../wire.ts";
import { ApiError, ask, askJson } from "./client.ts";

/** Key of the session in the cache. */
export const sessionKey = ["session"] as const;

/** Who is signed in; null for nobody. */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: Infinity });
}

/** Begins a session with a key or a one-time token. */
export async function signIn(secret: string): Promise<void> {
  await ask("/web/session", { method: "POST", headers: { authorization: `Bearer ${secret}` } });
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await ask("/web/session", { method: "DELETE" });
}

/**
 * Signs in with the one-time token behind the `#` of the address, if there is one, and takes it out of the address and of
 * the history. A token that is not good any more is no matter: there may be a session already.
 */
export async function redeemLinkToken(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  await signIn(token).catch(() => undefined);
}

async function readSession(): Promise<Session | null> {
  try {
    return await askJson<Session>("/web/session");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

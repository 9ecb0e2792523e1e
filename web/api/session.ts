import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Session, SessionToken } from "../wire.ts";
import { ApiError, request, requestJson } from "./client.ts";
import { storePageToken, requestPageToken, clearPageToken } from "./page-token.ts";

/** Key of the session in the cache. */
export const sessionKey = ["session"] as const;

/** Who is signed in; null for nobody. */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: Infinity });
}

/** Returns the SMS providers of the service; none while nobody is signed in. */
export function useSmsProviders(): Session["smsProviders"] {
  return useSession().data?.smsProviders ?? [];
}

/** Begins a session with a key or a one-time token. */
export async function signIn(secret: string): Promise<void> {
  const request = { method: "POST", headers: { authorization: `Bearer ${secret}` } } as const;
  const { pageToken } = await requestJson<SessionToken>("/web/session", request);
  storePageToken(pageToken);
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await request("/web/session", { method: "DELETE" }).finally(clearPageToken);
}

let hasLinkFailed = false;

/** Whether the page was opened with a start link that signs nobody in any more. */
export function wasLinkRejected(): boolean {
  return hasLinkFailed;
}

/**
 * Signs in with the one-time token behind the `#` of the address, if there is one, and takes it out of the address and of
 * the history. A token that is not good any more matters only where no session is there: see {@link wasLinkRejected}.
 */
export async function redeemLinkToken(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await signIn(token);
  } catch (error) {
    hasLinkFailed = error instanceof ApiError && error.status === 401;
  }
}

async function readSession(): Promise<Session | null> {
  await requestPageToken();
  try {
    return await requestJson<Session>("/web/session");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

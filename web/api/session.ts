import { useQuery, type QueryClient, type UseQueryResult } from "@tanstack/react-query";
import type { Session, SessionToken } from "../wire.ts";
import { ApiError, request, requestJson } from "./client.ts";
import { clearPageToken, pageToken, requestPageToken, storePageToken, watchPageToken } from "./page-token.ts";
import { queryKeys } from "./query-keys.ts";

/** Loads the session; null while signed out. */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: queryKeys.session, queryFn: readSession, staleTime: Infinity });
}

/** Loads the session again when a signed-out tab receives the token of another. */
export function followOtherTabs(cache: QueryClient): void {
  watchPageToken(() => {
    if (cache.getQueryData(queryKeys.session) === null) void cache.invalidateQueries({ queryKey: queryKeys.session });
  });
}

/** Returns the SMS providers of the service; none while signed out. */
export function useSmsProviders(): Session["smsProviders"] {
  return useSession().data?.smsProviders ?? [];
}

/** Returns the label of a provider; its name where the session has none. */
export function useProviderLabel(name: string): string {
  return useSession().data?.providerLabels[name] ?? name;
}

/** Opens a session with an API key or a one-time token. */
export async function signIn(secret: string): Promise<void> {
  const options = { method: "POST", headers: { authorization: `Bearer ${secret}` } } as const;
  const { pageToken } = await requestJson<SessionToken>("/web/session", options);
  storePageToken(pageToken);
}

/** Closes the session. */
export async function signOut(): Promise<void> {
  await request("/web/session", { method: "DELETE" }).finally(clearPageToken);
}

let hasLinkFailed = false;

/** Returns whether the page was opened with a sign-in link that is no longer valid. */
export function wasLinkRejected(): boolean {
  return hasLinkFailed;
}

/**
 * Signs in with the one-time token in the fragment of the address, if there is one, and removes it from the address and the
 * history. An invalid token matters only without a session: see {@link wasLinkRejected}.
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
  const token = pageToken();
  try {
    return await requestJson<Session>("/web/session");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    // Another tab may have sent its token meanwhile.
    return pageToken() === token ? null : readSession();
  }
}

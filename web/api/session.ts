import { type QueryClient, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { addressOf, pathOf } from "../base-path.ts";
import type { Issuer, Session, SessionToken, Ticket } from "../wire.ts";
import { ApiError, pageToken, request, requestJson, storePageToken, watchPageToken } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useJson } from "./use-requests.ts";

/** Loads the session; null while signed out. */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: queryKeys.session, queryFn: readSession, staleTime: Infinity });
}

/** Loads the session of a signed-out tab when another tab has signed in. */
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

/** Opens a session with an API key or a one-time token, unless the signal aborts before the service has answered. */
export async function signIn(secret: string, signal?: AbortSignal): Promise<void> {
  endReason = null;
  const headers = { authorization: `Bearer ${secret}` };
  const options = { method: "POST", headers, ...(signal !== undefined && { signal }) } as const;
  const { pageToken } = await requestJson<SessionToken>("/web/session", options);
  storePageToken(pageToken);
}

/** Closes the session; returns the URL at which its OpenID provider signs the browser out, null for other sessions. */
async function signOut(): Promise<string | null> {
  const response = await request("/web/session", { method: "DELETE" }).finally(() => {
    storePageToken(null);
    endReason = null;
  });
  return response.status === 200 ? ((await response.json()) as Ticket).url : null;
}

/** Loads the OpenID providers at which users sign in. */
export function useIssuers(): readonly Issuer[] {
  return useJson<readonly Issuer[]>(queryKeys.issuers, "/web/issuers", { staleTime: Infinity }).data ?? [];
}

/** Returns the address of the sign-in at an OpenID provider, which leads back to the present page. */
export function issuerAddress({ name }: Issuer): string {
  const to = encodeURIComponent(pathOf(location.pathname) + location.search);
  return addressOf(`/web/oidc/${name}/sign-in?to=${to}`);
}

/**
 * Cause of the sign-in page: a sign-in link that is not valid or could not be redeemed, the end of the session, or the text with
 * which the service refused the key of a link.
 */
export type SignInReason = "link-used" | "link-unreachable" | "session-ended" | { readonly text: string };

let endReason: SignInReason | null = null;

/** Returns why the sign-in page is shown; null when nothing has failed. */
export function signInReason(): SignInReason | null {
  return endReason;
}

/** Notes that the service rejected a request of this page: its session has ended, unless it had none. */
export function noteRejection(): void {
  if (pageToken() !== null) endReason = "session-ended";
}

/**
 * Signs in with the one-time token in the fragment of the address, or with the session of a sign-in at an OpenID provider, and removes it from the address and the
 * history. An invalid token matters only without a session: see {@link signInReason}.
 */
export async function redeemLinkToken(): Promise<void> {
  const token = linkToken();
  const opened = fragmentValue("session");
  if (token === null && opened === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (opened !== null) await takeOver(opened);
  if (token === null) return;
  try {
    await signIn(token);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (error instanceof ApiError && status === 403) endReason = { text: error.message };
    else endReason = status === 0 || status >= 500 ? "link-unreachable" : "link-used";
  }
}

/**
 * Calls `reload` when a sign-in link is opened in a tab that already shows the page of the link: the browser then changes only the
 * fragment of the address.
 */
export function followLinks(reload: () => void): void {
  addEventListener("hashchange", () => {
    if (linkToken() !== null) reload();
  });
}

function linkToken(): string | null {
  return fragmentValue("token");
}

function fragmentValue(name: string): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(name);
}

/** Takes over the session of a sign-in at an OpenID provider, unless this browser does not have its cookie: anyone can make up a link. */
async function takeOver(token: string): Promise<void> {
  const former = pageToken();
  storePageToken(token);
  try {
    await request("/web/session");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    storePageToken(former);
  }
}

async function readSession(): Promise<Session | null> {
  const token = pageToken();
  // No session is valid without its token, so that a request would only log a 401 in the console.
  if (token === null) return null;
  try {
    return await requestJson<Session>("/web/session");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    // Another tab may have signed in meanwhile.
    if (pageToken() !== token) return readSession();
    noteRejection();
    storePageToken(null);
    return null;
  }
}

/** Returns a function that closes the session and removes everything that was loaded with it. */
export function useSignOut(): () => void {
  const cache = useQueryClient();
  return () => {
    const end = (url: string | null): void => {
      cache.setQueryData(queryKeys.session, null);
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
      if (url !== null) location.assign(url);
    };
    void signOut().then(end, () => end(null));
  };
}

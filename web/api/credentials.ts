/** API keys, and SMTP passwords of servers. */
import { type UseMutationResult, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Key, KeyRequest, NewKey, Password } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { usePermissions } from "./permissions.ts";
import { queryKeys } from "./query-keys.ts";
import { useDelete, useInvalidatingMutation, useItems, usePost } from "./use-requests.ts";

/** Loads all API keys without their secrets, oldest first. */
export function useKeys(): UseQueryResult<readonly Key[]> {
  return useItems<Key>(queryKeys.apiKeys, "/api/keys");
}

/** Creates a key. */
export function useCreateKey(): UseMutationResult<NewKey, Error, KeyRequest> {
  return usePost(queryKeys.apiKeys, "/api/keys");
}

/** Gives a key a new secret; the current one expires after a day or, with `true`, immediately. */
export function useRotateKey(id: string): UseMutationResult<NewKey, Error, boolean> {
  return useInvalidatingMutation(queryKeys.apiKeys, async (expiresNow) =>
    requestJson<NewKey>(`/api/keys/${id}/rotate`, { method: "POST", body: expiresNow ? { graceSeconds: 0 } : {} }),
  );
}

/** Revokes a key. */
export function useRevokeKey(): UseMutationResult<void, Error, string> {
  return useDelete(queryKeys.apiKeys, (id) => `/api/keys/${id}`);
}

/** Loads the SMTP password of a server, for sessions that may see it. */
export function usePassword(server: string): UseQueryResult<string> {
  const { canManage } = usePermissions();
  return useQuery({
    enabled: canManage,
    queryKey: queryKeys.password(server),
    queryFn: async () => (await requestJson<Password>(`/api/servers/${server}/password`)).value,
    staleTime: Infinity,
  });
}

/** Replaces the SMTP password of a server with a random one. */
export function useResetPassword(server: string): UseMutationResult<void, Error, void> {
  return useInvalidatingMutation(queryKeys.password(server), async () => {
    await request(`/api/servers/${server}/password`, { method: "POST", body: {} });
  });
}

import { type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Key, KeyRequest, NewKey } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-items.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Loads all API keys without their secrets, oldest first. */
export function useKeys(): UseQueryResult<readonly Key[]> {
  return useItems<Key>(queryKeys.apiKeys, "/api/keys");
}

/** Creates a key. */
export function useCreateKey(): UseMutationResult<NewKey, Error, KeyRequest> {
  return useInvalidatingMutation(queryKeys.apiKeys, async (body) =>
    requestJson<NewKey>("/api/keys", { method: "POST", body }),
  );
}

/** Gives a key a new secret; the current one expires after a day or, with `true`, immediately. */
export function useRotateKey(id: string): UseMutationResult<NewKey, Error, boolean> {
  return useInvalidatingMutation(queryKeys.apiKeys, async (expiresNow) =>
    requestJson<NewKey>(`/api/keys/${id}/rotate`, { method: "POST", body: expiresNow ? { graceSeconds: 0 } : {} }),
  );
}

/** Revokes a key. */
export function useRevokeKey(): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.apiKeys, async (id) => {
    await request(`/api/keys/${id}`, { method: "DELETE" });
  });
}

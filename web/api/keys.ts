import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import type { Key, KeyRequest, NewKey } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { usePost, useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";

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

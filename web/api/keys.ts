import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { Key, KeyRequest, NewKey } from "../wire.ts";
import { request, requestJson, itemsOf } from "./client.ts";

const keysKey = ["keys"] as const;

/** All keys, oldest first, without their secrets. */
export function useKeys(): UseQueryResult<readonly Key[]> {
  return useQuery({
    queryKey: keysKey,
    queryFn: async () => itemsOf(await requestJson<readonly Key[]>("/api/keys")),
  });
}

/** Makes a key, for one server or (null) for the account. */
export function useCreateKey(server: string | null): UseMutationResult<NewKey, Error, KeyRequest> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (request: KeyRequest) => {
      return requestJson<NewKey>("/api/keys", {
        method: "POST",
        body: { ...request, ...(server !== null && { server }) },
      });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keysKey });
    },
  });
}

/** Gives a key a new secret; the present one opens for a day, or ends at once. */
export function useRotateKey(id: string): UseMutationResult<NewKey, Error, boolean> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (isEndedAtOnce: boolean) => {
      const body = isEndedAtOnce ? { graceSeconds: 0 } : {};
      return requestJson<NewKey>(`/api/keys/${id}/rotate`, { method: "POST", body });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keysKey });
    },
  });
}

/** Revokes a key. */
export function useRevokeKey(): UseMutationResult<void, Error, string> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      await request(`/api/keys/${id}`, { method: "DELETE" });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keysKey });
    },
  });
}

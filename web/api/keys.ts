import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { Key, NewKey } from "../wire.ts";
import { ask, askJson, itemsOf } from "./client.ts";

const keysKey = ["keys"] as const;

/** All keys, oldest first, without their secrets. */
export function useKeys(): UseQueryResult<readonly Key[]> {
  return useQuery({
    queryKey: keysKey,
    queryFn: async () => itemsOf(await askJson<readonly Key[]>("/api/keys")),
  });
}

/** Makes a key, for one server or (null) for the account. */
export function useCreateKey(server: string | null): UseMutationResult<NewKey, Error, string> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      return askJson<NewKey>("/api/keys", { method: "POST", body: { name, ...(server !== null && { server }) } });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keysKey });
    },
  });
}

/** Ends a key. */
export function useRevokeKey(): UseMutationResult<void, Error, string> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      await ask(`/api/keys/${id}`, { method: "DELETE" });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keysKey });
    },
  });
}

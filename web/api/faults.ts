/** Fault rules of a server. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Fault, FaultRule } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Interval at which the counts are loaded again. */
const pollMs = 2000;

/** Loads the rules with their counts, in their order, again every two seconds. */
export function useFaults(server: string): UseQueryResult<readonly Fault[]> {
  return useQuery({
    queryKey: queryKeys.faults(server),
    queryFn: async () => {
      const { items } = await requestJson<{ readonly items: readonly Fault[] }>(`/api/servers/${server}/faults`);
      return items;
    },
    refetchInterval: pollMs,
  });
}

/** Replaces the rules, whose counts start at 0. */
export function useReplaceFaults(server: string): UseMutationResult<void, Error, readonly FaultRule[]> {
  return useInvalidatingMutation(queryKeys.faults(server), async (items) => {
    await request(`/api/servers/${server}/faults`, { method: "PUT", body: { items } });
  });
}

/** Removes all rules. */
export function useClearFaults(server: string): UseMutationResult<void, Error, void> {
  return useInvalidatingMutation(queryKeys.faults(server), async () => {
    await request(`/api/servers/${server}/faults`, { method: "DELETE" });
  });
}

/** Fault rules of a server, and of the service (null). */
import { useQuery, type UseMutationResult, type UseQueryOptions, type UseQueryResult } from "@tanstack/react-query";
import type { Fault, FaultRule, HeldMessage } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-items.ts";
import { useServers } from "./servers.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Intervals at which the counts are loaded again: on the page of the rules, and for the notice on other pages. */
const pollMs = 2000;
const noticePollMs = 10_000;

function pathOf(server: string | null): string {
  return server === null ? "/api/faults" : `/api/servers/${server}/faults`;
}

/** Loads the rules with their counts, in their order, again every two seconds. */
export function useFaults(server: string | null): UseQueryResult<readonly Fault[]> {
  return useQuery({ ...faultsOf(server), refetchInterval: pollMs });
}

/** Loads the active rules of a server, or of the service (null), again every ten seconds; none while the server is unknown. */
export function useActiveFaults(server: string | null): readonly Fault[] {
  const { data: servers } = useServers();
  const enabled = server === null || servers?.some(({ id }) => id === server) === true;
  const { data = [] } = useQuery({ ...faultsOf(server), enabled, refetchInterval: noticePollMs });
  return data.filter(({ state }) => state === "active");
}

function faultsOf(server: string | null): UseQueryOptions<readonly Fault[]> {
  return {
    queryKey: queryKeys.faults(server),
    queryFn: async () => itemsOf(await requestJson<readonly Fault[]>(pathOf(server))),
  };
}

/** Loads the held messages of a server that become visible next, again every two seconds. */
export function useHeld(server: string): UseQueryResult<readonly HeldMessage[]> {
  return useItems<HeldMessage>(queryKeys.held(server), `/api/servers/${server}/held`, { refetchInterval: pollMs });
}

/** Replaces the rules; those that stay the same keep their counts. */
export function useReplaceFaults(server: string | null): UseMutationResult<void, Error, readonly FaultRule[]> {
  return useInvalidatingMutation(queryKeys.faults(server), async (items) => {
    await request(`${pathOf(server)}?counts=keep`, { method: "PUT", body: { items } });
  });
}

/** Removes all rules. */
export function useClearFaults(server: string | null): UseMutationResult<void, Error, void> {
  return useInvalidatingMutation(queryKeys.faults(server), async () => {
    await request(pathOf(server), { method: "DELETE" });
  });
}

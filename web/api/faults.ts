/** Fault rules of a server, and of the service (null). */
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import type { Fault, FaultRule, HeldMessage } from "../wire.ts";
import { request } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";
import { useServers } from "./servers.ts";

/** Intervals at which the counts are loaded again: on the page of the rules, and for the notice on other pages. */
const pollMs = 2000;
const noticePollMs = 10_000;

function pathOf(server: string | null): string {
  return server === null ? "/api/faults" : `/api/servers/${server}/faults`;
}

/** Loads the rules with their counts, in their order, again every two seconds. */
export function useFaults(server: string | null): UseQueryResult<readonly Fault[]> {
  return useItems<Fault>(queryKeys.faults(server), pathOf(server), { refetchInterval: pollMs });
}

/** Loads the active rules of a server, or of the service (null), again every ten seconds; none while the server is unknown. */
export function useActiveFaults(server: string | null): readonly Fault[] {
  const { data: servers } = useServers();
  const enabled = server === null || servers?.some(({ id }) => id === server) === true;
  const options = { enabled, refetchInterval: noticePollMs };
  const { data = [] } = useItems<Fault>(queryKeys.faults(server), pathOf(server), options);
  return data.filter(({ state }) => state === "active");
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
  return useDelete(queryKeys.faults(server), () => pathOf(server));
}

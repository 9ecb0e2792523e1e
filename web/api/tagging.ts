/** Settings of a server for tags of messages that arrive. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Summary, Tagging } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** The newest messages that match a query. */
export interface Matches {
  readonly messages: readonly Summary[];
  readonly hasMore: boolean;
}

const matchesShownMax = 5;

/** Loads the settings of a server. */
export function useTagging(server: string): UseQueryResult<Tagging> {
  return useQuery({
    queryKey: queryKeys.tagging(server),
    queryFn: async () => requestJson<Tagging>(`/api/servers/${server}/tag-rules`),
  });
}

/** Replaces the settings of a server. */
export function useSetTagging(server: string): UseMutationResult<void, Error, Tagging> {
  return useInvalidatingMutation(queryKeys.tagging(server), async (body) => {
    await request(`/api/servers/${server}/tag-rules`, { method: "PUT", body });
  });
}

/** Loads the newest received messages that match a query, again when messages arrive. */
export function useMatches(server: string, q: string): UseQueryResult<Matches> {
  return useQuery({
    queryKey: queryKeys.matches(server, q),
    queryFn: async () => {
      const query = new URLSearchParams({ server, q, itemsPerPage: String(matchesShownMax + 1) });
      const found = itemsOf(await requestJson<readonly Summary[]>(`/api/messages?${query.toString()}`));
      return { messages: found.slice(0, matchesShownMax), hasMore: found.length > matchesShownMax };
    },
  });
}

import { keepPreviousData, useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import { localTimeZone, type MailQuery } from "../navigation/mail-query.ts";
import type { SavedSearch, SearchSuggestion } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-items.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Loads searches that find messages where a query finds none; null as server for all servers. */
export function useSearchSuggestions(
  server: string | null,
  query: MailQuery,
): UseQueryResult<readonly SearchSuggestion[]> {
  const parameters = new URLSearchParams({ q: query.q, dir: query.direction, timeZone: localTimeZone() });
  if (server !== null) parameters.set("server", server);
  if (query.receivedAfter !== "") parameters.set("receivedAfter", query.receivedAfter);
  const path = `/api/search/suggestions?${parameters.toString()}`;
  return useQuery({
    queryKey: queryKeys.searchSuggestions(path),
    queryFn: async ({ signal }) => itemsOf(await requestJson<readonly SearchSuggestion[]>(path, { signal })),
    enabled: query.q !== "",
    placeholderData: keepPreviousData,
  });
}

/** Loads the saved searches of a server, oldest first. */
export function useSavedSearches(server: string): UseQueryResult<readonly SavedSearch[]> {
  return useItems<SavedSearch>(queryKeys.savedSearches(server), pathOf(server));
}

/** Saves a search; under a new name, the one with the `former` name is deleted. */
export function useSaveSearch(
  server: string,
): UseMutationResult<void, Error, SavedSearch & { readonly former?: string }> {
  return useInvalidatingMutation(queryKeys.savedSearches(server), async ({ name, q, former = name }) => {
    await request(pathOf(server, name), { method: "PUT", body: { q } });
    if (former.toLowerCase() !== name.toLowerCase()) await request(pathOf(server, former), { method: "DELETE" });
  });
}

/** Deletes a saved search by its name. */
export function useDeleteSavedSearch(server: string): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.savedSearches(server), async (name) => {
    await request(pathOf(server, name), { method: "DELETE" });
  });
}

function pathOf(server: string, name?: string): string {
  return `/api/servers/${server}/searches${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

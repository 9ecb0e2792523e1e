import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { localTimeZone, type MailQuery } from "../navigation/mail-query.ts";
import type { SavedSearch, SearchSuggestion, Summary } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useServers } from "./servers.ts";
import { useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";

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
  return useDelete(queryKeys.savedSearches(server), (name) => pathOf(server, name));
}

function pathOf(server: string, name?: string): string {
  return `/api/servers/${server}/searches${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

/** Page of a search over all servers. */
interface ServersPage {
  readonly items: readonly Summary[];
  /** Parameters of the next page; null on the last one. */
  readonly next: string | null;
}

const itemsPerPage = 50;

/** Loads the messages of all servers of the key that match a query, newest first. */
export function useServersSearch(query: MailQuery): UseInfiniteQueryResult<InfiniteData<ServersPage, string>> {
  const first = serversParameters(query, itemsPerPage);
  return useInfiniteQuery({
    queryKey: [...queryKeys.allServers, first],
    queryFn: async ({ pageParam, signal }) => readServersPage(pageParam, signal),
    initialPageParam: first,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** Share of time that refreshes take at most, as a pause in multiples of the last one's duration. */
const pauseFactor = 4;

/**
 * Searches again when a server has changed, as its number of messages and bytes show whenever the servers are reloaded. A
 * refresh begins after the end of the one before and a pause; the changes of this time are in the next one.
 */
export function useRefreshedResults(isEnabled: boolean): void {
  const cache = useQueryClient();
  const { data: servers, dataUpdatedAt } = useServers();
  const state = servers?.map(({ id, messages, usage }) => `${id} ${messages} ${usage.bytes}`).join();
  const last = useRef({ state, readAt: 0, nextAt: 0 });
  useEffect(() => {
    const { current } = last;
    current.state ??= state;
    if (dataUpdatedAt === current.readAt) return;
    current.readAt = dataUpdatedAt;
    if (!isEnabled || state === current.state || performance.now() < current.nextAt) return;
    current.state = state;
    current.nextAt = Infinity;
    const startedAt = performance.now();
    void cache.invalidateQueries({ queryKey: queryKeys.allServers }).then(() => {
      const endedAt = performance.now();
      current.nextAt = endedAt + pauseFactor * (endedAt - startedAt);
      return current;
    });
  }, [cache, isEnabled, state, dataUpdatedAt]);
}

/** Returns the parameters of the first page of a search over all servers. */
export function serversParameters(query: Pick<MailQuery, "q" | "direction" | "receivedAfter">, count: number): string {
  const parameters = new URLSearchParams({ itemsPerPage: String(count), dir: query.direction });
  if (query.q !== "") parameters.set("q", query.q);
  if (query.receivedAfter !== "") parameters.set("receivedAfter", query.receivedAfter);
  parameters.set("timeZone", localTimeZone());
  return parameters.toString();
}

/** Reads a page of a search over all servers. */
export async function readServersPage(parameters: string, signal?: AbortSignal): Promise<ServersPage> {
  const response = await request(`/api/search?${parameters}`, signal === undefined ? {} : { signal });
  const [, next] = /\?([^>]*)>/.exec(response.headers.get("link") ?? "") ?? [];
  return { items: itemsOf((await response.json()) as readonly Summary[]), next: next ?? null };
}

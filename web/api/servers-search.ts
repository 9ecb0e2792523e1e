import {
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { localTimeZone, type MailQuery } from "../navigation/mail-query.ts";
import type { Summary } from "../wire.ts";
import { itemsOf, request } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useServers } from "./servers.ts";

/** Page of a search over all servers. */
export interface ServersPage {
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

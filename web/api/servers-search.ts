import {
  keepPreviousData,
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { localTimeZone, type MailQuery } from "../navigation/mail-query.ts";
import type { Summary } from "../wire.ts";
import { itemsOf, request } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

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

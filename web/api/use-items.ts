import { useQuery, type QueryKey, type UseQueryOptions, type UseQueryResult } from "@tanstack/react-query";
import { itemsOf, requestJson } from "./client.ts";

/** Loads the items of a list of the API. */
export function useItems<Item>(
  queryKey: QueryKey,
  path: string,
  options: Omit<UseQueryOptions<readonly Item[]>, "queryKey" | "queryFn"> = {},
): UseQueryResult<readonly Item[]> {
  return useQuery({ queryKey, queryFn: async () => itemsOf(await requestJson<readonly Item[]>(path)), ...options });
}

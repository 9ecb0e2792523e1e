import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ServerTag } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

/** Tags that are suggested may be as old as this, in milliseconds. */
const tagsMsMax = 60_000;

/** Loads the tags of the messages of a server while `isWanted`; null for no server. */
export function useKnownTags(server: string | null, isWanted: boolean): readonly string[] {
  const { data } = useQuery({
    queryKey: queryKeys.knownTags(server ?? ""),
    queryFn: async () => itemsOf(await requestJson<readonly ServerTag[]>(`/api/servers/${server ?? ""}/tags`)),
    enabled: isWanted && server !== null,
    staleTime: tagsMsMax,
  });
  return useMemo(() => data?.map(({ tag }) => tag) ?? [], [data]);
}

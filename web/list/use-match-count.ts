import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { readCount, type TimedCount } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { useSettled } from "../shared/use-settled.ts";

/** Time for which a query is unchanged before its matches are counted: not after each letter that is typed. */
const settledMs = 400;
/** Shortest pause between two counts of the same matches, and the factor of the time that the last one took. */
const pauseMsMin = 500;
const pauseFactor = 4;

/**
 * Counts the matches of a list on all its pages; undefined until they are counted. `cursor` is the number of the server's last
 * change that the list includes, or null when the list needs no count: the matches are counted again when it has grown.
 */
export function useMatchCount(
  { server, query }: { readonly server: string; readonly query: MailQuery },
  cursor: number | null,
): TimedCount | undefined {
  const name = formatMailQuery(query);
  const isSettled = useSettled(name, settledMs) === name;
  const { data, isFetching, refetch, dataUpdatedAt, errorUpdatedAt } = useQuery({
    queryKey: queryKeys.matchCount(server, name),
    queryFn: async ({ signal }) => readCount(server, query, signal),
    enabled: cursor !== null && isSettled,
    staleTime: Infinity,
  });
  const isOutdated = data !== undefined && cursor !== null && (data.cursor ?? cursor) < cursor;
  useEffect(() => {
    if (!isOutdated || isFetching || !isSettled) return undefined;
    const pauseMs = Math.max(pauseMsMin, data.tookMs * pauseFactor);
    // From the last count on, so that a flood of changes does not postpone the next one.
    const dueAt = Math.max(dataUpdatedAt, errorUpdatedAt) + pauseMs;
    const timer = window.setTimeout(() => void refetch(), Math.max(0, dueAt - Date.now()));
    return () => clearTimeout(timer);
  }, [isOutdated, isFetching, isSettled, data, dataUpdatedAt, errorUpdatedAt, refetch]);
  return data;
}

/** Requests for flags and tags of messages; see `mark-state.ts` for what the page shows meanwhile. */
import { type QueryClient, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type MailQuery, withTerms } from "../navigation/mail-query.ts";
import type { MarkChange, MarkedMessage, MessageMarks, ServerTag } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
import { advanceCursor, marksCursor, noteMarks, showPending, useMarksOf } from "./mark-state.ts";
import { readIds } from "./messages.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-requests.ts";

/** Most messages in one request. */
const batchSize = 1000;

/** Changes marks of messages; rejects, and restores what is shown, when the service does not change them. */
type ChangeMarks = (ids: readonly string[], change: MarkChange) => Promise<void>;

/** Reads the marks that have changed on the service, now and whenever the server changes. */
export function useFollowedMarks(server: string): void {
  useQuery({ queryKey: queryKeys.marks(server), queryFn: async () => readChanges(server) });
}

/** Returns a function that changes marks of messages of the server: at once on the page, then on the service. */
export function useChangeMarks(server: string): ChangeMarks {
  const cache = useQueryClient();
  return useCallback(async (ids, change) => changeMarks({ cache, server }, ids, change), [cache, server]);
}

/** Returns a function that adds the flag `seen` to all messages that match a query, of which `shown` are on the page. */
export function useMarkAllRead(server: string): (query: MailQuery, shown: readonly string[]) => Promise<void> {
  const cache = useQueryClient();
  return useCallback(
    async (query, shown) => {
      const seen: MarkChange = { addFlags: ["seen"] };
      await changeMarks({ cache, server }, shown, seen);
      for (;;) {
        const unread = withTerms(query, "is:unread");
        const { ids, hasMore } = await readIds(server, unread, { page: 0, itemsPerPage: batchSize });
        await changeMarks({ cache, server }, ids, seen);
        if (!hasMore) return;
      }
    },
    [cache, server],
  );
}

/** Loads the tags of a server, by name, while `isWanted`. */
export function useTags(server: string, isWanted = true): UseQueryResult<readonly ServerTag[]> {
  return useItems<ServerTag>(queryKeys.tags(server), `/api/servers/${server}/tags`, { enabled: isWanted });
}

/** Returns the marks of one message, and loads them where no list has done so; undefined meanwhile. */
export function useMessageMarks(id: string): MessageMarks | undefined {
  const marks = useMarksOf(id);
  useQuery({
    queryKey: queryKeys.messageMarks(id),
    queryFn: async () => {
      const found = await requestJson<MessageMarks>(`/api/messages/${id}/marks`);
      noteMarks([{ id, sequence: 0, ...found }]);
      return found;
    },
    enabled: marks === undefined,
  });
  return marks;
}

/** Loads the number of unread received messages of a server; undefined meanwhile, and for no server. */
export function useUnreadCount(server: string | null): number | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.unread(server ?? ""),
    queryFn: async () => (await requestJson<{ readonly unread: number }>(`/web/servers/${server}/unread`)).unread,
    enabled: server !== null,
  });
  return data;
}

async function changeMarks(
  { cache, server }: { readonly cache: QueryClient; readonly server: string },
  ids: readonly string[],
  change: MarkChange,
): Promise<void> {
  const finish = showPending(ids, change);
  let isConfirmed = false;
  try {
    for (let at = 0; at < ids.length; at += batchSize) {
      const body = { ids: ids.slice(at, at + batchSize), ...change };
      await requestJson(`/api/messages/marks?server=${server}`, { method: "POST", body });
    }
    isConfirmed = true;
  } finally {
    finish(isConfirmed);
    reloadUnfollowed(cache, server);
  }
}

/** Own changes are reported by the change stream, too, within this time. */
const reportedMsMax = 1000;

/** Reloads the flags and tags of a server that have not been reloaded meanwhile, as where the change stream is interrupted. */
function reloadUnfollowed(cache: QueryClient, server: string): void {
  const changedAt = Date.now();
  setTimeout(() => {
    void cache.invalidateQueries({
      queryKey: queryKeys.allMarks(server),
      predicate: ({ state }) => state.dataUpdatedAt < changedAt,
    });
  }, reportedMsMax);
}

async function readChanges(server: string): Promise<number> {
  for (;;) {
    const cursor = marksCursor(server);
    if (cursor === undefined) return 0;
    const path = `/api/servers/${server}/marks?after=${cursor}&limit=${batchSize}`;
    const marked = itemsOf(await requestJson<readonly MarkedMessage[]>(path));
    const last = marked.at(-1)?.sequence;
    if (last === undefined) return cursor;
    noteMarks(marked);
    advanceCursor(server, last);
    if (marked.length < batchSize) return last;
  }
}

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

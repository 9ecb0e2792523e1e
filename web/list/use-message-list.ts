import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { pagesKey, readExcerpts, readPage, type MessagePage } from "../api/messages.ts";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { useStore } from "../shared/store.ts";
import type { MessageExcerpt } from "../wire.ts";
import { hiddenIds } from "./deletion.ts";
import { joinPages, type SparseList } from "./sparse-list.ts";

/** A list and the pages of it that are wanted. */
export interface MessageList extends SparseList {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** What rows show beside their summaries, by id. */
  readonly excerpts: ReadonlyMap<string, MessageExcerpt>;
  /** Has the pages read that hold these rows, both included. */
  readonly want: (first: number, last: number) => void;
}

/** Pages that are kept fresh at the same time; a screen shows no more. */
const wantedPagesMax = 4;

/** A server's messages that meet the query, page by page as rows are looked at. */
export function useMessageList(server: string, query: MailQuery): MessageList {
  const [wanted, setWanted] = useState<readonly number[]>([0]);
  const hidden = useStore(hiddenIds);
  const name = formatMailQuery(query);
  const numbers = wanted.includes(0) ? wanted : [0, ...wanted];
  const results = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...pagesKey(server), name, page],
      queryFn: async () => readPage(server, query, page),
      staleTime: Infinity,
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
    combine: combinePages,
  });
  const pages = useMemo(() => {
    return new Map(numbers.flatMap((page, at) => (results.pages[at] === undefined ? [] : [[page, results.pages[at]]])));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `numbers` is new each time and follows from `wanted`
  }, [results, wanted]);
  const list = useMemo(() => joinPages(pages, hidden), [pages, hidden]);
  const excerpts = useExcerpts(server, pages);
  return {
    ...list,
    isPending: results.isPending,
    error: results.error,
    retry: results.retry,
    excerpts,
    want: (first, last) => {
      const next = pagesBetween(list.pageOf(first), list.pageOf(Math.max(first, last)));
      if (next.join() !== wanted.join()) setWanted(next);
    },
  };
}

function pagesBetween(first: number, last: number): readonly number[] {
  const count = Math.min(wantedPagesMax, last - first + 1);
  return Array.from({ length: count }, (_, at) => first + at);
}

interface Combined {
  readonly pages: readonly (MessagePage | undefined)[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

function combinePages(results: readonly UseQueryResult<MessagePage>[]): Combined {
  // What was read before is still worth showing when the service cannot be reached for a moment.
  const failed = results.find((result) => result.error !== null && result.data === undefined);
  return {
    pages: results.map((result) => result.data),
    isPending: results[0]?.isPending ?? true,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** One request for all new rows; what is known is not asked for again. */
function useExcerpts(server: string, pages: ReadonlyMap<number, MessagePage>): ReadonlyMap<string, MessageExcerpt> {
  const ids = useMemo(() => [...pages.values()].flatMap((page) => page.items.map((item) => item.id)), [pages]);
  const { data } = useQuery({
    queryKey: ["excerpts", server, ids.join()],
    queryFn: async () => {
      await loadExcerpts(server, ids);
      return ids.flatMap((id) => cachedExcerpts.get(id) ?? []);
    },
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Map(data?.map((excerpt) => [excerpt.id, excerpt])), [data]);
}

/** Messages do not change, so a excerpt holds; beyond the bound the oldest are forgotten. */
const cachedExcerpts = new Map<string, MessageExcerpt>();
const cachedExcerptsMax = 20_000;
const excerptsPerRequest = 100;

async function loadExcerpts(_server: string, ids: readonly string[]): Promise<void> {
  const missing = ids.filter((id) => !cachedExcerpts.has(id));
  for (let at = 0; at < missing.length; at += excerptsPerRequest) {
    for (const excerpt of await readExcerpts(missing.slice(at, at + excerptsPerRequest))) {
      cachedExcerpts.set(excerpt.id, excerpt);
    }
  }
  for (const id of cachedExcerpts.keys()) {
    if (cachedExcerpts.size <= cachedExcerptsMax) return;
    cachedExcerpts.delete(id);
  }
}

import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { readExcerpts, readPage, type MessagePage } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import type { MessageExcerpt } from "../wire.ts";
import { hiddenIds } from "./deletion.ts";
import { joinPages, type SparseList } from "./sparse-list.ts";

/** A list whose pages are loaded as its rows come into view. */
export interface MessageList extends SparseList {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Members of rows in addition to summaries, by message id. */
  readonly excerpts: ReadonlyMap<string, MessageExcerpt>;
  /** Loads the pages of these rows, both included. */
  readonly loadRows: (first: number, last: number) => void;
}

/** Most pages that are kept up to date at the same time; a screen shows no more. */
const pageCountMax = 4;

/** Loads the messages of a server that match the query, page by page. */
export function useMessageList(server: string, query: MailQuery): MessageList {
  const [requested, setRequested] = useState<readonly number[]>([0]);
  const hidden = useStore(hiddenIds);
  const name = formatMailQuery(query);
  const numbers = requested.includes(0) ? requested : [0, ...requested];
  const results = useQueries({
    queries: numbers.map((page) => ({
      queryKey: queryKeys.messagePage(server, name, page),
      queryFn: async () => readPage(server, query, page),
      staleTime: Infinity,
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
    combine: combinePages,
  });
  const pages = useMemo(() => {
    return new Map(numbers.flatMap((page, at) => (results.pages[at] === undefined ? [] : [[page, results.pages[at]]])));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `numbers` is new each time and follows from `requested`
  }, [results, requested]);
  const list = useMemo(() => joinPages(pages, hidden), [pages, hidden]);
  const excerpts = useExcerpts(pages);
  return {
    ...list,
    isPending: results.isPending,
    error: results.error,
    retry: results.retry,
    excerpts,
    loadRows: (first, last) => {
      const next = pagesBetween(list.pageOf(first), list.pageOf(Math.max(first, last)));
      if (next.join() !== requested.join()) setRequested(next);
    },
  };
}

function pagesBetween(first: number, last: number): readonly number[] {
  const count = Math.min(pageCountMax, last - first + 1);
  return Array.from({ length: count }, (_, at) => first + at);
}

interface CombinedPages {
  readonly pages: readonly (MessagePage | undefined)[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

function combinePages(results: readonly UseQueryResult<MessagePage>[]): CombinedPages {
  // Pages that were loaded before stay visible while the service is unreachable.
  const failed = results.find((result) => result.error !== null && result.data === undefined);
  return {
    pages: results.map((result) => result.data),
    isPending: results[0]?.isPending ?? true,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** Loads excerpts of all rows; those in the cache are not requested again. */
function useExcerpts(pages: ReadonlyMap<number, MessagePage>): ReadonlyMap<string, MessageExcerpt> {
  const ids = useMemo(() => [...pages.values()].flatMap((page) => page.items.map((item) => item.id)), [pages]);
  const { data } = useQuery({
    queryKey: queryKeys.excerpts(ids),
    queryFn: async () => {
      await loadExcerpts(ids);
      return ids.flatMap((id) => cachedExcerpts.get(id) ?? []);
    },
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Map(data?.map((excerpt) => [excerpt.id, excerpt])), [data]);
}

/** Excerpts by id. Messages are immutable, so entries stay valid; beyond the bound the oldest are evicted. */
const cachedExcerpts = new Map<string, MessageExcerpt>();
const cachedExcerptsMax = 20_000;
const excerptsPerRequest = 100;

async function loadExcerpts(ids: readonly string[]): Promise<void> {
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

import {
  keepPreviousData,
  useQueries,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { marksOf, noteMarks } from "../api/mark-state.ts";
import { messageQuery, readExcerpts, readPage, type MessagePage } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import type { MessageExcerpt } from "../wire.ts";
import { hiddenIds } from "./deletion.ts";
import { joinPages, locatePage, type SparseList, uncountedCursor } from "./sparse-list.ts";
import { sharedDomainOf } from "./row-people.tsx";
import { useMatchCount } from "./use-match-count.ts";

/** A list whose pages are loaded as its rows come into view. */
export interface MessageList extends SparseList {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Members of rows in addition to summaries, by message id. */
  readonly excerpts: ReadonlyMap<string, MessageExcerpt>;
  /** Domain, with its @, of the recipients of all loaded messages; "" when they have several. */
  readonly sharedDomain: string;
  /** Loads the pages of these rows, both included. */
  readonly loadRows: (first: number, last: number) => void;
}

/** Most pages that are kept up to date at the same time; a screen shows no more. */
const pageCountMax = 4;

/** Rows before and after those in view that are loaded too, so that the keyboard always finds the next row. */
const marginRows = 10;

/** Rows before and after those in view that are put into the cache, so that scrolling meets no row without a message. */
const prefetchedRows = 150;

/** The messages of a list. */
export interface ListSource {
  readonly server: string;
  readonly query: MailQuery;
  /** Id of a message whose page is loaded wherever it is in the list; null for none. */
  readonly currentId: string | null;
}

/** Loads the messages of a server that match the query, page by page. */
export function useMessageList(source: ListSource): MessageList {
  const [requested, setRequested] = useState<readonly number[]>([0]);
  const [located, setLocated] = useState<number | null>(null);
  const hidden = useStore(hiddenIds);
  const cache = useQueryClient();
  const numbers = [...new Set([0, ...requested, ...(located === null ? [] : [located])])];
  const results = useQueries({
    queries: numbers.map((page) => ({
      ...pageQuery(source, page),
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
    combine: combinePages,
  });
  const pages = useMemo(() => {
    return new Map(numbers.flatMap((page, at) => (results.pages[at] === undefined ? [] : [[page, results.pages[at]]])));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `numbers` is new each time and follows from the others
  }, [results, requested, located]);
  const counted = useMatchCount(source, uncountedCursor(pages));
  const list = useMemo(() => joinPages(pages, hidden, counted), [pages, hidden, counted]);
  const excerpts = useExcerpts(pages);
  const sharedDomain = useMemo(() => sharedDomainOf([...pages.values()].flatMap(({ items }) => items)), [pages]);
  useLocatedPage(source, results.isPending ? null : list, setLocated);
  return {
    ...list,
    isPending: results.isPending,
    error: results.error,
    retry: results.retry,
    excerpts,
    sharedDomain,
    loadRows: (first, last) => {
      const pagesWithin = (margin: number): readonly number[] =>
        pagesBetween(
          list.pageOf(Math.max(0, first - margin)),
          list.pageOf(Math.max(first, Math.min(list.count - 1, last + margin))),
        );
      const next = pagesWithin(marginRows);
      if (next.join() !== requested.join()) setRequested(next);
      // At the top, as after each letter of a search, further rows are not wanted yet.
      if (first === 0) return;
      for (const page of pagesWithin(prefetchedRows)) {
        // A page that cannot be loaded is requested again, and its error shown, when it comes into view.
        if (!numbers.includes(page)) cache.query(pageQuery(source, page)).catch(() => undefined);
      }
    },
  };
}

/** Finds the page of the current message whenever the list does not have it; `list` is null while it is loaded first. */
function useLocatedPage(
  { server, query, currentId }: ListSource,
  list: SparseList | null,
  onLocated: (page: number) => void,
): void {
  const cache = useQueryClient();
  const name = formatMailQuery(query);
  /** The search that is running, or that found nothing. */
  const former = useRef("");
  useEffect(() => {
    if (currentId === null || list === null || list.rowOf(currentId) >= 0) return;
    const search = `${currentId} ${name}`;
    if (former.current === search) return;
    former.current = search;
    const locate = async (): Promise<void> => {
      const page = await findPage(cache, { server, query, currentId });
      if (former.current !== search || page === null) return;
      former.current = "";
      onLocated(page);
    };
    // The open message shows the same error; its row is only a place in the list.
    locate().catch(() => undefined);
  }, [cache, server, query, name, currentId, list, onLocated]);
}

async function findPage(
  cache: QueryClient,
  { server, query, currentId }: ListSource & { readonly currentId: string },
): Promise<number | null> {
  const message = await cache.query(messageQuery(currentId));
  if (message.server !== server) return null;
  const read = async (page: number): Promise<MessagePage> => cache.query(pageQuery({ server, query }, page));
  return locatePage(read, message);
}

/** Options of the query for one page; each is loaded once, and again when the server changes. */
function pageQuery({ server, query }: Pick<ListSource, "server" | "query">, page: number) {
  return {
    queryKey: queryKeys.messagePage(server, formatMailQuery(query), page),
    // A search that is no longer wanted is cancelled; pages that were scrolled past are soon wanted again.
    queryFn: async (call: { readonly signal: AbortSignal }): Promise<MessagePage> =>
      readPage(server, query, page === 0 ? { page, signal: call.signal } : { page }),
    staleTime: Infinity,
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

/**
 * Excerpts by id. Content is immutable, so that entries stay valid, and marks are followed apart; beyond the bound the oldest
 * are evicted.
 */
const cachedExcerpts = new Map<string, MessageExcerpt>();
const cachedExcerptsMax = 20_000;
const excerptsPerRequest = 100;

async function loadExcerpts(ids: readonly string[]): Promise<void> {
  const missing = ids.filter((id) => !cachedExcerpts.has(id) || marksOf(id) === undefined);
  for (let at = 0; at < missing.length; at += excerptsPerRequest) {
    const excerpts = await readExcerpts(missing.slice(at, at + excerptsPerRequest));
    noteMarks(excerpts);
    for (const excerpt of excerpts) cachedExcerpts.set(excerpt.id, excerpt);
  }
  for (const id of cachedExcerpts.keys()) {
    if (cachedExcerpts.size <= cachedExcerptsMax) return;
    cachedExcerpts.delete(id);
  }
}

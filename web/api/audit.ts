import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { AuditEntry } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

const entriesPerPage = 50;

type Pages = InfiniteData<readonly AuditEntry[], number>;

/** Loads the audit log page by page, newest first; for sessions of an account key. */
export function useAudit(): UseInfiniteQueryResult<Pages> {
  return useInfiniteQuery({
    queryKey: queryKeys.audit,
    queryFn: async ({ pageParam }) =>
      itemsOf(await requestJson<readonly AuditEntry[]>(`/api/audit?page=${pageParam}&itemsPerPage=${entriesPerPage}`)),
    initialPageParam: 0,
    getNextPageParam: (last: readonly AuditEntry[], pages: readonly unknown[]) =>
      last.length < entriesPerPage ? undefined : pages.length,
  });
}

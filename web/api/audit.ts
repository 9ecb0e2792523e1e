/** The audit log. */
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { AuditEntry } from "../wire.ts";
import { requestJson, itemsOf } from "./client.ts";

const entriesPerPage = 50;

type Pages = InfiniteData<readonly AuditEntry[], number>;

/** The audit log, newest first, a page at a time; for sessions of an account key. */
export function useAudit(): UseInfiniteQueryResult<Pages> {
  return useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: async ({ pageParam }) =>
      itemsOf(await requestJson<readonly AuditEntry[]>(`/api/audit?page=${pageParam}&itemsPerPage=${entriesPerPage}`)),
    initialPageParam: 0,
    getNextPageParam: (last: readonly AuditEntry[], pages: readonly unknown[]) =>
      last.length < entriesPerPage ? undefined : pages.length,
  });
}

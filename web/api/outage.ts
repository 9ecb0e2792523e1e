/** Queries that failed because the service could not answer: they run again until it can. */
import { useQueryClient, type Query, type QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./client.ts";

/** Pause after a failure, in milliseconds; the retries of a query come before it. */
const pauseMs = 3000;

/** Returns whether an error says nothing about the request: no connection, or a fault of the service. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** Runs the queries of the page that failed in an outage again, every three seconds until all have succeeded. */
export function retryAfterOutages(cache: QueryClient): void {
  let timer = 0;
  cache.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "error" || timer !== 0) return;
    if (!isOutage(event.action.error)) return;
    timer = window.setTimeout(() => {
      timer = 0;
      void cache.refetchQueries({ type: "active", predicate: hasFailed });
    }, pauseMs);
  });
}

/** Returns whether a query of the page has failed in an outage and has not succeeded since. */
export function useHasFailed(): boolean {
  const queries = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => queries.subscribe(listener),
    () => queries.getAll().some((query) => query.isActive() && hasFailed(query)),
  );
}

function hasFailed({ state }: Query): boolean {
  return state.status === "error" && isOutage(state.error);
}

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ServiceStatus } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

const pollMs = 30_000;

/** Loads the state of all background tasks every 30 seconds; for sessions of an account key. */
export function useStatus(): UseQueryResult<ServiceStatus> {
  return useQuery({
    queryKey: queryKeys.status,
    queryFn: async () => requestJson<ServiceStatus>("/api/status"),
    refetchInterval: pollMs,
  });
}

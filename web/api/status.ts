import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Disk, ServiceStatus } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

const pollMs = 30_000;

/** Loads the free bytes of the disk with the data, every 30 seconds. */
export function useDisk(): UseQueryResult<Disk> {
  return useQuery({
    queryKey: queryKeys.disk,
    queryFn: async () => requestJson<Disk>("/web/disk"),
    refetchInterval: pollMs,
  });
}

/** Loads the state of all background tasks every 30 seconds; for sessions of an account key. */
export function useStatus(): UseQueryResult<ServiceStatus> {
  return useQuery({
    queryKey: queryKeys.status,
    queryFn: async () => requestJson<ServiceStatus>("/api/status"),
    refetchInterval: pollMs,
  });
}

import type { UseQueryResult } from "@tanstack/react-query";
import type { Disk, ServiceStatus } from "../wire.ts";
import { queryKeys } from "./query-keys.ts";
import { useJson } from "./use-requests.ts";

const pollMs = 30_000;

/** Loads the free bytes of the disk with the data, every 30 seconds. */
export function useDisk(): UseQueryResult<Disk> {
  return useJson(queryKeys.disk, "/web/disk", { refetchInterval: pollMs });
}

/** Loads the state of all background tasks every 30 seconds; for sessions of an account key. */
export function useStatus(): UseQueryResult<ServiceStatus> {
  return useJson(queryKeys.status, "/api/status", { refetchInterval: pollMs });
}

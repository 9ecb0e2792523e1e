/** State of the service's background tasks. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ServiceStatus } from "../wire.ts";
import { requestJson } from "./client.ts";

const pollMs = 30_000;

/** The state of every background task, asked for twice a minute; for sessions of an account key. */
export function useStatus(): UseQueryResult<ServiceStatus> {
  return useQuery({
    queryKey: ["status"],
    queryFn: async () => requestJson<ServiceStatus>("/api/status"),
    refetchInterval: pollMs,
  });
}

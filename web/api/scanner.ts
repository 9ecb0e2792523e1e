/** Link scanner of a server, and scans of messages. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Scan, Scanner, ScannerSettings } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { optionalSettings } from "./optional-settings.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Loads the scanner of a server; null without one. */
export function useScanner(server: string): UseQueryResult<Scanner | null> {
  return useQuery({ ...optionalSettings(server), select: ({ scanner }) => scanner });
}

/** Sets the scanner of a server; null removes it. */
export function useSetScanner(server: string): UseMutationResult<void, Error, ScannerSettings | null> {
  return useInvalidatingMutation(queryKeys.optionalSettings(server), async (settings) => {
    const path = `/api/servers/${server}/scanner`;
    if (settings === null) await request(path, { method: "DELETE" });
    else await request(path, { method: "PUT", body: settings });
  });
}

/** Loads the scan of the links of a message. */
export function useScan(id: string): UseQueryResult<Scan> {
  return useQuery({
    queryKey: queryKeys.scan(id),
    queryFn: async () => requestJson<Scan>(`/api/messages/${id}/scan`),
  });
}

/** DNS zone of a server, which replaces DNS in checks of its mail. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { DnsZone } from "../wire.ts";
import { request } from "./client.ts";
import { optionalSettings } from "./optional-settings.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Loads the zone of a server; null without one. */
export function useZone(server: string): UseQueryResult<DnsZone | null> {
  return useQuery({ ...optionalSettings(server), select: ({ zone }) => zone });
}

/** Sets the zone of a server; null removes it. */
export function useSetZone(server: string): UseMutationResult<void, Error, string | null> {
  return useInvalidatingMutation(queryKeys.optionalSettings(server), async (zone) => {
    const path = `/api/servers/${server}/dns`;
    if (zone === null) await request(path, { method: "DELETE" });
    else await request(path, { method: "PUT", body: { zone } });
  });
}

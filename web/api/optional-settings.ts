/** Settings that a server may not have, which one request loads. */
import type { QueryKey } from "@tanstack/react-query";
import type { OptionalSettings } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

/** Returns the options of the query for the link scanner and the DNS zone of a server. */
export function optionalSettings(server: string): {
  readonly queryKey: QueryKey;
  readonly queryFn: () => Promise<OptionalSettings>;
} {
  return {
    queryKey: queryKeys.optionalSettings(server),
    queryFn: async () => requestJson<OptionalSettings>(`/web/servers/${server}/optional-settings`),
  };
}

/** Settings of a server: its link scanner, DNS zone and rules for tags. */
import { type UseMutationResult, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { DnsZone, OptionalSettings, Scanner, ScannerSettings, Summary, Tagging } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation, useJson } from "./use-requests.ts";

/** Options of the query for the settings that a server may not have. */
function optionalSettings(server: string) {
  const path = `/web/servers/${server}/optional-settings`;
  return {
    queryKey: queryKeys.optionalSettings(server),
    queryFn: async (): Promise<OptionalSettings> => requestJson(path),
  };
}

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

/** The newest messages that match a query. */
interface Matches {
  readonly messages: readonly Summary[];
  readonly hasMore: boolean;
}

const matchesShownMax = 5;

/** Loads the rules for tags of messages that arrive. */
export function useTagging(server: string): UseQueryResult<Tagging> {
  return useJson(queryKeys.tagging(server), `/api/servers/${server}/tag-rules`);
}

/** Replaces the rules for tags. */
export function useSetTagging(server: string): UseMutationResult<void, Error, Tagging> {
  return useInvalidatingMutation(queryKeys.tagging(server), async (body) => {
    await request(`/api/servers/${server}/tag-rules`, { method: "PUT", body });
  });
}

/** Loads the newest received messages that match a query, again when messages arrive. */
export function useMatches(server: string, q: string): UseQueryResult<Matches> {
  return useQuery({
    queryKey: queryKeys.matches(server, q),
    queryFn: async () => {
      const query = new URLSearchParams({ server, q, itemsPerPage: String(matchesShownMax + 1) });
      const found = itemsOf(await requestJson<readonly Summary[]>(`/api/messages?${query.toString()}`));
      return { messages: found.slice(0, matchesShownMax), hasMore: found.length > matchesShownMax };
    },
  });
}

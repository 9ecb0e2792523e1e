import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { ServerUsage, TeamLimits, TeamUsage, UsageLimits, UsageTransaction } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";
import { useItems } from "./use-items.ts";
import { queryKeys } from "./query-keys.ts";

/** Limits of the account, and the messages stored on each of the last days, today first. */
export interface Usage {
  readonly limits: UsageLimits;
  readonly days: readonly UsageTransaction[];
}

const pollMs = 30_000;

/** Loads the usage of the account every 30 seconds; for sessions of an account key. */
export function useUsage(): UseQueryResult<Usage> {
  return useQuery({
    queryKey: queryKeys.usage,
    queryFn: async () => {
      const [limits, days] = await Promise.all([
        requestJson<UsageLimits>("/api/usage/limits"),
        requestJson<readonly UsageTransaction[]>("/api/usage/transactions"),
      ]);
      return { limits, days: itemsOf(days) };
    },
    refetchInterval: pollMs,
  });
}

/** Loads the usage of each team in a month (`2026-11`). */
export function useTeamUsage(month: string): UseQueryResult<readonly TeamUsage[]> {
  return useItems<TeamUsage>(queryKeys.usageOf("teams", month), `/api/usage/teams?month=${month}`);
}

/** Loads the servers without traffic for some days, those that are idle longest first. */
export function useIdleServers(days: number): UseQueryResult<readonly ServerUsage[]> {
  return useItems<ServerUsage>(queryKeys.usageOf("idle", String(days)), `/api/usage/servers?idleDays=${days}`);
}

/** Returns the CSV of the usage of teams or servers in a month. */
export async function fetchUsageCsv(kind: "teams" | "servers", month: string): Promise<Blob> {
  return (await request(`/api/usage/${kind}.csv?month=${month}`)).blob();
}

/** Changes the limits of a team. */
export function useUpdateTeamLimits(team: string): UseMutationResult<void, Error, TeamLimits> {
  return useInvalidatingMutation(queryKeys.usage, async (body) => {
    await request(`/api/teams/${team}/limits`, { method: "PUT", body });
  });
}

/** Protects a server from the rule for idle servers, or ends that. */
export function useProtectServer(server: string): UseMutationResult<void, Error, boolean> {
  return useInvalidatingMutation(queryKeys.usage, async (isProtected) => {
    await request(`/api/servers/${server}`, { method: "PUT", body: { isProtected } });
  });
}

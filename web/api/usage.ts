import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { UsageLimits, UsageTransaction } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
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

/** SMTP passwords of servers. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Password } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { usePermissions } from "./permissions.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-requests.ts";

/** Loads the SMTP password of a server, for sessions that may see it. */
export function usePassword(server: string): UseQueryResult<string> {
  const { canManage } = usePermissions();
  return useQuery({
    enabled: canManage,
    queryKey: queryKeys.password(server),
    queryFn: async () => (await requestJson<Password>(`/api/servers/${server}/password`)).value,
    staleTime: Infinity,
  });
}

/** Replaces the SMTP password of a server with a random one. */
export function useResetPassword(server: string): UseMutationResult<void, Error, void> {
  return useInvalidatingMutation(queryKeys.password(server), async () => {
    await request(`/api/servers/${server}/password`, { method: "POST", body: {} });
  });
}

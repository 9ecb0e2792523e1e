/** Requests for pages of the account: the audit log, virtual authenticators, and usage. */
import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import type {
  AuditEntry,
  Device,
  DeviceRequest,
  OneTimePassword,
  ServerUsage,
  TeamLimits,
  TeamUsage,
  UsageLimits,
  UsageTransaction,
} from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useDelete, useInvalidatingMutation, useItems, usePost } from "./use-requests.ts";

const entriesPerPage = 50;

/** Loads the audit log page by page, newest first; for sessions of an account key. */
export function useAudit(): UseInfiniteQueryResult<InfiniteData<readonly AuditEntry[], number>> {
  return useInfiniteQuery({
    queryKey: queryKeys.audit,
    queryFn: async ({ pageParam }) =>
      itemsOf(await requestJson<readonly AuditEntry[]>(`/api/audit?page=${pageParam}&itemsPerPage=${entriesPerPage}`)),
    initialPageParam: 0,
    getNextPageParam: (last: readonly AuditEntry[], pages: readonly unknown[]) =>
      last.length < entriesPerPage ? undefined : pages.length,
  });
}

/** A one-time password, and until when it is valid. */
interface LivePassword {
  readonly code: string;
  /** In the clock of this browser, milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** Clocks that differ less count as equal: the service states its time in whole seconds. */
const clockDifferenceMsMin = 2000;
const passwordRetryMs = 5000;

/** Loads all devices, oldest first. */
export function useDevices(): UseQueryResult<readonly Device[]> {
  return useItems<Device>(queryKeys.devices, "/api/devices");
}

/** Loads the current one-time password of a device, and the next one when it expires. */
export function useOneTimePassword(id: string): UseQueryResult<LivePassword> {
  return useQuery({
    queryKey: queryKeys.oneTimePassword(id),
    queryFn: async () => readPassword(id),
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, error } }) =>
      data === undefined
        ? false
        : Math.max(error === null ? 500 : passwordRetryMs, data.expiresAtMs - Date.now() + 200),
  });
}

async function readPassword(id: string): Promise<LivePassword> {
  const response = await request(`/api/devices/${id}/otp`);
  const { code, expires } = (await response.json()) as OneTimePassword;
  const difference = Date.now() - Date.parse(response.headers.get("date") ?? "");
  const isSkewed = Math.abs(difference) >= clockDifferenceMsMin;
  return { code, expiresAtMs: Date.parse(expires) + (isSkewed ? difference : 0) };
}

/** Creates a device. */
export function useAddDevice(): UseMutationResult<Device, Error, DeviceRequest> {
  return usePost(queryKeys.devices, "/api/devices");
}

/** Deletes a device and its secret. */
export function useRemoveDevice(): UseMutationResult<void, Error, string> {
  return useDelete(queryKeys.devices, (id) => `/api/devices/${id}`);
}

/** Limits of the account, and the messages stored on each of the last days, today first. */
interface Usage {
  readonly limits: UsageLimits;
  readonly days: readonly UsageTransaction[];
}

const usagePollMs = 30_000;

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
    refetchInterval: usagePollMs,
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

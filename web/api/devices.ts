/** Virtual authenticators and their one-time passwords, for sessions of an account key. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { Device, DeviceRequest, OneTimePassword } from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-items.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** A one-time password, and until when it is valid. */
export interface LivePassword {
  readonly code: string;
  /** In the clock of this browser, milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** Clocks that differ less count as equal: the service states its time in whole seconds. */
const clockDifferenceMsMin = 2000;
const retryMs = 5000;

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
      data === undefined ? false : Math.max(error === null ? 500 : retryMs, data.expiresAtMs - Date.now() + 200),
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
  return useInvalidatingMutation(queryKeys.devices, async (body) =>
    requestJson<Device>("/api/devices", { method: "POST", body }),
  );
}

/** Deletes a device and its secret. */
export function useRemoveDevice(): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.devices, async (id) => {
    await request(`/api/devices/${id}`, { method: "DELETE" });
  });
}

import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { NewServer, Password, Server, ServerRequest, Summary } from "../wire.ts";
import { request, requestJson, itemsOf } from "./client.ts";

/** What an owner may change of a server. */
export interface ServerChange {
  readonly name?: string;
  readonly retention?: { readonly ageSecondsMax?: number | null; readonly messageCountMax?: number | null };
  readonly quota?: { readonly messages?: number | null; readonly bytes?: number | null };
}

const serversKey = ["servers"] as const;
const countRefreshMs = 3000;

/** The servers that the session opens, by name; counts are fresh to three seconds while the page is looked at. */
export function useServers(): UseQueryResult<readonly Server[]> {
  return useQuery({
    queryKey: serversKey,
    queryFn: async () => itemsOf(await requestJson<readonly Server[]>("/api/servers")),
    refetchInterval: countRefreshMs,
  });
}

/** When the server's newest message came; null for an empty one. Asked again only when the count has changed. */
export function useLastArrival(server: Server): UseQueryResult<string | null> {
  return useQuery({
    queryKey: ["last-arrival", server.id, server.messages],
    queryFn: async () => {
      const path = `/api/messages?server=${server.id}&itemsPerPage=1`;
      return itemsOf(await requestJson<readonly Summary[]>(path))[0]?.received ?? null;
    },
    staleTime: Infinity,
    placeholderData: (previous) => previous,
  });
}

/** The password that opens the server over SMTP. */
export function usePassword(server: string): UseQueryResult<string> {
  return useQuery({
    queryKey: ["password", server],
    queryFn: async () => (await requestJson<Password>(`/api/servers/${server}/password`)).value,
    staleTime: Infinity,
  });
}

/** Makes a server. */
export function useCreateServer(): UseMutationResult<NewServer, Error, ServerRequest> {
  return useServerMutation(async (body) => requestJson<NewServer>("/api/servers", { method: "POST", body }));
}

/** Changes a server. */
export function useUpdateServer(id: string): UseMutationResult<Server, Error, ServerChange> {
  return useServerMutation(async (body) => requestJson<Server>(`/api/servers/${id}`, { method: "PUT", body }));
}

/** Deletes a server with all it holds. */
export function useDeleteServer(id: string): UseMutationResult<void, Error, void> {
  return useServerMutation(async () => {
    await request(`/api/servers/${id}`, { method: "DELETE" });
  });
}

/** Deletes every message of a server. */
export function useEmptyServer(id: string): UseMutationResult<void, Error, void> {
  return useServerMutation(async () => {
    await request(`/api/messages?server=${id}`, { method: "DELETE" });
  });
}

function useServerMutation<Result, Input>(
  mutationFn: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: serversKey });
    },
  });
}

import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { NewServer, Server, ServerRequest, Summary } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useDelete, usePost, usePut } from "./use-requests.ts";

/** Changes of a server; absent fields stay as they are. */
export interface ServerChange {
  readonly name?: string;
  readonly retention?: { readonly ageSecondsMax?: number | null; readonly messageCountMax?: number | null };
  readonly quota?: { readonly messages?: number | null; readonly bytes?: number | null };
  readonly readerDeletion?: Server["readerDeletion"];
  readonly team?: string | null;
}

const refreshMs = 3000;

const serversQuery = {
  queryKey: queryKeys.servers,
  queryFn: async (): Promise<readonly Server[]> => itemsOf(await requestJson<readonly Server[]>("/api/servers")),
};

/** Loads the servers that the session may access, by name; refreshed every three seconds for their message counts. */
export function useServers(): UseQueryResult<readonly Server[]> {
  return useQuery({ ...serversQuery, refetchInterval: refreshMs });
}

/** Loads when the newest message of a server was received; null for an empty server. Reloaded when the count changes. */
export function useLastReceived(server: Server): UseQueryResult<string | null> {
  return useQuery({
    queryKey: queryKeys.lastMessage(server.id, server.messages),
    queryFn: async () => {
      const path = `/api/messages?server=${server.id}&itemsPerPage=1`;
      return itemsOf(await requestJson<readonly Summary[]>(path))[0]?.received ?? null;
    },
    staleTime: Infinity,
    placeholderData: (previous) => previous,
  });
}

/** Returns the team of a server that is loaded already; undefined until then, and for unknown servers. */
export function useTeamOfServer(id: string | null): string | null | undefined {
  const { data } = useQuery({ ...serversQuery, enabled: false, select: (servers) => teamOf(servers, id) });
  return data;
}

function teamOf(servers: readonly Server[], id: string | null): string | null | undefined {
  return servers.find((server) => server.id === id)?.team;
}

/** Creates a server. */
export function useCreateServer(): UseMutationResult<NewServer, Error, ServerRequest> {
  return usePost(queryKeys.servers, "/api/servers");
}

/** Updates a server. */
export function useUpdateServer(id: string): UseMutationResult<Server, Error, ServerChange> {
  return usePut(queryKeys.servers, `/api/servers/${id}`);
}

/** Deletes a server with its messages and keys. */
export function useDeleteServer(id: string): UseMutationResult<void, Error, void> {
  return useDelete(queryKeys.servers, () => `/api/servers/${id}`);
}

/** Deletes all messages of a server. */
export function useEmptyServer(id: string): UseMutationResult<void, Error, void> {
  return useDelete(queryKeys.servers, () => `/api/messages?server=${id}`);
}

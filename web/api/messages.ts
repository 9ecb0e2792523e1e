import { keepPreviousData, useQuery, useQueryClient, type QueryKey, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import { hasCriteria, listQuery, pageSize, type MailQuery } from "../navigation/mail-query.ts";
import type {
  Conversation,
  MatchCount,
  Message,
  MessageExcerpt,
  MessageTrace,
  Passage,
  Summary,
  Transcript,
} from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { noteCursor } from "./mark-state.ts";
import { queryKeys } from "./query-keys.ts";
import { useJson } from "./use-requests.ts";

/** One page of a list, newest first. */
export interface MessagePage {
  readonly items: readonly Summary[];
  /** Count over all pages; null where the service does not count. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** Number of the server's last change that the page includes. */
  readonly cursor: number;
}

/** The beginning of an attachment or of a message source. */
export interface FileStart {
  readonly text: string;
  readonly isComplete: boolean;
}

/** Reads one page, counted from 0, until the signal aborts, of the messages of a server that match the query. */
export async function readPage(
  server: string,
  query: MailQuery,
  { page, signal }: { readonly page: number; readonly signal?: AbortSignal },
): Promise<MessagePage> {
  const { headers, ...found } = await requestPage(server, query, { page, itemsPerPage: pageSize, signal });
  const total = headers.get("x-total-count");
  const cursor = Number(headers.get("x-cursor"));
  noteCursor(server, cursor);
  return { ...found, total: total === null ? null : Number(total), cursor };
}

/** Number of messages of a list, and the time that counting took, in milliseconds. */
export interface TimedCount extends MatchCount {
  readonly tookMs: number;
}

/** Counts the messages of a server that match the query, until the signal aborts. */
export async function readCount(server: string, query: MailQuery, signal: AbortSignal): Promise<TimedCount> {
  const startedMs = performance.now();
  const options = { method: "POST", body: query.criteria, signal } as const;
  const counted = await requestJson<MatchCount>(`/web/count?${listQuery(server, query, null)}`, options);
  return { ...counted, tookMs: performance.now() - startedMs };
}

/** Ids of one page of a list. */
export interface IdPage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** Reads the ids on one page of messages in a server that match the query, newest first. */
export async function readIds(
  server: string,
  query: MailQuery,
  page: { readonly page: number; readonly itemsPerPage: number },
): Promise<IdPage> {
  const { items, hasMore } = await requestPage(server, query, page);
  return { ids: items.map(({ id }) => id), hasMore };
}

/** All results of a query, or the newest of them. */
export interface Results extends IdPage {
  /** Time at which the newest of them was received, in milliseconds since the epoch. */
  readonly newestAt: number;
}

/** Most results that are selected and deleted together, as the service does. */
const resultsMax = 10_000;
const resultsPerPage = 1000;

/** Reads the ids of the results of a query, newest first, at most {@link resultsMax}. */
export async function readResults(server: string, query: MailQuery): Promise<Results> {
  const ids: string[] = [];
  let newestAt = 0;
  for (let page = 0; ; page += 1) {
    const { items, hasMore } = await requestPage(server, query, { page, itemsPerPage: resultsPerPage });
    newestAt = Math.max(newestAt, Date.parse(items[0]?.received ?? "") || 0);
    ids.push(...items.map(({ id }) => id));
    if (!hasMore || ids.length >= resultsMax) return { ids, hasMore, newestAt };
  }
}

/** Deletes the newest messages that match `q`, at most {@link resultsMax}; resolves with their number. */
export async function deleteResults(server: string, direction: MailQuery["direction"], q: string): Promise<number> {
  const parameters = new URLSearchParams({ server, dir: direction, q }).toString();
  const { deleted } = await requestJson<{ readonly deleted: number }>(`/api/messages/search?${parameters}`, {
    method: "DELETE",
  });
  return deleted;
}

async function requestPage(
  server: string,
  query: MailQuery,
  {
    signal,
    ...page
  }: { readonly page: number; readonly itemsPerPage: number; readonly signal?: AbortSignal | undefined },
): Promise<Pick<MessagePage, "items" | "hasMore"> & Pick<Response, "headers">> {
  const parameters = listQuery(server, query, page);
  const options = signal === undefined ? {} : { signal };
  const response = hasCriteria(query)
    ? await request(`/api/messages/search?${parameters}`, { method: "POST", body: query.criteria, ...options })
    : await request(`/api/messages?${parameters}`, options);
  const { headers } = response;
  return { items: itemsOf((await response.json()) as readonly Summary[]), hasMore: headers.has("link"), headers };
}

/** Reads what list rows show in addition to summaries; deleted messages are left out. */
export async function readExcerpts(ids: readonly string[]): Promise<readonly MessageExcerpt[]> {
  return ids.length === 0 ? [] : requestJson<readonly MessageExcerpt[]>(`/web/glances?ids=${ids.join(",")}`);
}

/** Returns the size of a message as received, in bytes, and loads it unless it is `known`; undefined meanwhile. */
export function useMessageSize(id: string, known: number | undefined): number | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.excerpts([id]),
    queryFn: async () => readExcerpts([id]),
    staleTime: Infinity,
    enabled: known === undefined,
  });
  return known ?? data?.[0]?.sizeBytes;
}

/** Reads the part of the text of messages that contains one of the terms; messages without one are left out. */
export async function readPassages(
  ids: readonly string[],
  terms: readonly string[],
  signal: AbortSignal,
): Promise<readonly Passage[]> {
  return requestJson<readonly Passage[]>("/web/passages", { method: "POST", body: { ids, terms }, signal });
}

/** Interval at which a message is loaded again until it is delivered: only failures are changes of the server. */
const deliveryPollMs = 1000;

/** Reads one message. */
export async function readMessage(id: string): Promise<Message> {
  return requestJson<Message>(`/api/messages/${id}`);
}

/** Loads one message. Messages are immutable, except for their delivery. */
export function useMessage(id: string): UseQueryResult<Message> {
  return useQuery({
    ...messageQuery(id),
    refetchInterval: ({ state }) => (isQueued(state.data) ? deliveryPollMs : false),
  });
}

/** Options of the query for one message. */
export function messageQuery(id: string): {
  readonly queryKey: QueryKey;
  readonly queryFn: () => Promise<Message>;
  readonly staleTime: number;
} {
  return { queryKey: queryKeys.message(id), queryFn: async () => readMessage(id), staleTime: Infinity };
}

/** Returns a function that begins to load a message that will be opened. */
export function usePrefetchMessage(): (id: string) => void {
  const cache = useQueryClient();
  // The open message shows the error, and loads it again.
  return useCallback((id) => void cache.query(messageQuery(id)).catch(() => undefined), [cache]);
}

function isQueued(message: Pick<Message, "delivery"> | undefined): boolean {
  return message?.delivery?.status === "Queued";
}

/** Loads how a message was received and its MIME structure. */
export function useMessageTrace(id: string): UseQueryResult<MessageTrace> {
  return useJson(queryKeys.trace(id), `/web/messages/${id}/trace`, {
    // A scan may end after the message was opened; everything else is immutable.
    staleTime: ({ state }) => (state.data?.hasScan === true ? Infinity : 0),
  });
}

/** Loads the transcript of the session or request that delivered a message. */
export function useTranscript(id: string): UseQueryResult<Transcript> {
  return useJson(queryKeys.transcript(id), `/api/messages/${id}/transcript`, { staleTime: Infinity });
}

/**
 * Loads the conversation of a message. While it `isShown`, it is reloaded with every change of the server, and every second
 * while a message of it is queued; otherwise it is loaded once, to know whether there are other messages.
 */
export function useConversation(server: string, id: string, isShown: boolean): UseQueryResult<Conversation> {
  const queryKey = isShown ? queryKeys.liveConversation(server, id) : queryKeys.conversation(id);
  return useJson<Conversation>(queryKey, `/web/messages/${id}/conversation`, {
    staleTime: Infinity,
    refetchInterval: ({ state }) => (isShown && state.data?.turns.some(isQueued) === true ? deliveryPollMs : false),
    placeholderData: keepPreviousData,
  });
}

/** Loads the first bytes of a file as text, at most `bytesMax`. */
export function useFileStart(path: string, bytesMax: number): UseQueryResult<FileStart> {
  return useQuery({
    queryKey: queryKeys.fileStart(path, bytesMax),
    queryFn: async () => readFileStart(path, bytesMax),
    staleTime: Infinity,
  });
}

/** Loads a whole file. It is not kept longer than it is shown. */
export function useFileBytes(path: string): UseQueryResult<ArrayBuffer> {
  return useQuery({
    queryKey: queryKeys.fileBytes(path),
    queryFn: async () => (await request(path)).arrayBuffer(),
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Most messages that {@link deleteMessages} deletes with one request. */
const deletionBatchMax = 200;

/**
 * Deletes messages of a server permanently, `deletionBatchMax` with each request; resolves with the ids of those that
 * could not be deleted, and why the last request was rejected, if one was. Calls `onProgress` with the number of messages that were tried, before each request but the first.
 */
export async function deleteMessages(
  server: string,
  ids: readonly string[],
  onProgress: (tried: number) => void,
): Promise<{ readonly failed: readonly string[]; readonly reason: string | null }> {
  const failed: string[] = [];
  let reason: string | null = null;
  for (let at = 0; at < ids.length; at += deletionBatchMax) {
    if (at > 0) onProgress(at);
    const batch = ids.slice(at, at + deletionBatchMax);
    try {
      failed.push(...(await deleteBatch(server, batch)));
    } catch (error) {
      // The messages of a rejected request remain; further ones may succeed.
      failed.push(...batch);
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  return { failed, reason };
}

/** Deletes up to 1000 messages with a request that outlives the page. */
export function deleteBeforeUnload(server: string, ids: readonly string[]): void {
  // The page closes before it could show an error; a message that was not deleted is listed again next time.
  void deleteBatch(server, ids.slice(0, 1000), true).catch(() => undefined);
}

async function deleteBatch(server: string, ids: readonly string[], keepalive = false): Promise<readonly string[]> {
  const [first = "", ...others] = ids;
  // The audit log has the id of a message that is deleted alone.
  if (others.length === 0) {
    await request(`/api/messages/${first}`, { method: "DELETE", keepalive });
    return [];
  }
  const options = { method: "POST", body: { ids }, keepalive } as const;
  const { failed } = await requestJson<{ readonly failed: readonly string[] }>(
    `/web/servers/${server}/deletions`,
    options,
  );
  return failed;
}

async function readFileStart(path: string, bytesMax: number): Promise<FileStart> {
  const response = await request(path, { headers: { range: `bytes=0-${String(bytesMax - 1)}` } });
  const size = Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? 0);
  return { text: await response.text(), isComplete: size <= bytesMax };
}

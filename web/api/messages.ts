import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Conversation, Deliverability, MessageExcerpt, LintReport, Message, Summary, Trace } from "../wire.ts";
import { hasCriteria, listQuery, type MailQuery } from "../navigation/mail-query.ts";
import { request, requestJson, itemsOf } from "./client.ts";

/** One page of a list, newest first. */
export interface MessagePage {
  readonly items: readonly Summary[];
  /** How many there are over all pages; null where nobody counts them. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** Number of the server's last change that the page knows of. */
  readonly cursor: number;
}

/** What an attachment or a mail begins with. */
export interface FileStart {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Items of one page. */
export const pageSize = 100;

/** Key of a server's pages in the cache. */
export function pagesKey(server: string): readonly string[] {
  return ["messages", server];
}

/** Reads one page, counted from 0, of a server's messages that meet the query. */
export async function readPage(server: string, query: MailQuery, page: number): Promise<MessagePage> {
  const parameters = listQuery(server, query, { page, itemsPerPage: pageSize });
  const response = hasCriteria(query)
    ? await request(`/api/messages/search?${parameters}`, { method: "POST", body: query.criteria })
    : await request(`/api/messages?${parameters}`);
  const total = response.headers.get("x-total-count");
  return {
    items: itemsOf((await response.json()) as readonly Summary[]),
    total: total === null ? null : Number(total),
    hasMore: response.headers.has("link"),
    cursor: Number(response.headers.get("x-cursor")),
  };
}

/** Reads what rows show beside their summaries; messages that are gone are missing. */
export async function readExcerpts(ids: readonly string[]): Promise<readonly MessageExcerpt[]> {
  return ids.length === 0 ? [] : requestJson<readonly MessageExcerpt[]>(`/web/glances?ids=${ids.join(",")}`);
}

/** One message; a message never changes. */
export function useMessage(id: string): UseQueryResult<Message> {
  return useQuery({
    queryKey: ["message", id],
    queryFn: async () => requestJson<Message>(`/api/messages/${id}`),
    staleTime: Infinity,
  });
}

/** How a message came and how it is built. */
export function useMessageTrace(id: string): UseQueryResult<Trace> {
  return useQuery({
    queryKey: ["trace", id],
    queryFn: async () => requestJson<Trace>(`/web/messages/${id}/trace`),
    staleTime: Infinity,
  });
}

/**
 * What belongs together with a message. While it `isShown` it is read anew with every change of the server; else it is read
 * once, to know whether there is more than the message.
 */
export function useConversation(server: string, id: string, isShown: boolean): UseQueryResult<Conversation> {
  const own = ["conversation", id];
  return useQuery({
    queryKey: isShown ? [...pagesKey(server), ...own] : own,
    queryFn: async () => requestJson<Conversation>(`/web/messages/${id}/conversation`),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** What the rules of good mail have to say. */
export function useLint(id: string): UseQueryResult<LintReport> {
  return useQuery({
    queryKey: ["lint", id],
    queryFn: async () => requestJson<LintReport>(`/api/analysis/lint/${id}`),
    staleTime: Infinity,
  });
}

/** How likely the mail is to arrive; what the name system says is asked anew each time. */
export function useDeliverability(id: string): UseQueryResult<Deliverability> {
  return useQuery({
    queryKey: ["deliverability", id],
    queryFn: async () => requestJson<Deliverability>(`/api/analysis/deliverability/${id}`),
  });
}

/** The first bytes of a file as text, at most `bytesMax` of them. */
export function useFileStart(path: string, bytesMax: number): UseQueryResult<FileStart> {
  return useQuery({
    queryKey: ["file", path, bytesMax],
    queryFn: async () => readFileStart(path, bytesMax),
    staleTime: Infinity,
  });
}

/** Deletes a message for good. */
export async function deleteMessage(id: string, keepalive: boolean): Promise<void> {
  await request(`/api/messages/${id}`, { method: "DELETE", keepalive });
}

async function readFileStart(path: string, bytesMax: number): Promise<FileStart> {
  const response = await request(path, { headers: { range: `bytes=0-${String(bytesMax - 1)}` } });
  const size = Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? 0);
  return { text: await response.text(), isWhole: size <= bytesMax };
}

/** Pictures of mails as mail programs show them. */
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { EmailClient, Preview } from "../wire.ts";
import { request, requestJson, itemsOf } from "./client.ts";

/** The mail programs that previews are made for. */
export function useEmailClients(): UseQueryResult<readonly EmailClient[]> {
  return useQuery({
    queryKey: ["email-clients"],
    queryFn: async () => itemsOf(await requestJson<readonly EmailClient[]>("/api/screenshots/clients")),
    staleTime: Infinity,
  });
}

/** Has previews of a message made, by the labels of the programs; the answer comes before the pictures are there. */
export function useRequestPreviews(message: string): UseMutationResult<readonly Preview[], Error, readonly string[]> {
  return useMutation({
    mutationFn: async (emailClients) => {
      const path = `/api/messages/${message}/screenshots`;
      return itemsOf(await requestJson<readonly Preview[]>(path, { method: "POST", body: { emailClients } }));
    },
  });
}

/** The address of a preview, as soon as it is there. */
export function usePreview(id: string): UseQueryResult<string> {
  return useQuery({
    queryKey: ["preview", id],
    queryFn: async ({ signal }) => withConcurrencyLimit(async () => waitForPreview(id, signal)),
    staleTime: Infinity,
    retry: false,
  });
}

/** Browsers have six connections for each origin, and the page wants some of them for itself. */
const parallelMax = 3;
const waiting: (() => void)[] = [];
let runningCount = 0;

async function withConcurrencyLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  if (runningCount >= parallelMax) await new Promise<void>((resolve) => waiting.push(resolve));
  runningCount += 1;
  try {
    return await work();
  } finally {
    runningCount -= 1;
    waiting.shift()?.();
  }
}

async function waitForPreview(id: string, signal: AbortSignal): Promise<string> {
  const path = `/api/files/screenshots/${id}`;
  for (;;) {
    signal.throwIfAborted();
    const { status, headers } = await request(path, { method: "GET", headers: { range: "bytes=0-0" } });
    if (status !== 202) return path;
    await new Promise((resolve) => setTimeout(resolve, Number(headers.get("x-ms-delay") ?? pauseMs)));
  }
}

const pauseMs = 1000;

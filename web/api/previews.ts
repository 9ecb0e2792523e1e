import { useMutation, useQueries, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type { EmailClient, Preview } from "../wire.ts";
import { itemsOf, request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-requests.ts";

/** Loads the email clients that previews can be rendered for. */
export function useEmailClients(): UseQueryResult<readonly EmailClient[]> {
  return useItems<EmailClient>(queryKeys.emailClients, "/api/screenshots/clients", { staleTime: Infinity });
}

/** Requests previews of a message by the labels of email clients; the response comes before they are rendered. */
export function useRequestPreviews(message: string): UseMutationResult<readonly Preview[], Error, readonly string[]> {
  return useMutation({
    mutationFn: async (emailClients) => {
      const path = `/api/messages/${message}/screenshots`;
      return itemsOf(await requestJson<readonly Preview[]>(path, { method: "POST", body: { emailClients } }));
    },
  });
}

/** Waits for previews to be rendered and returns their addresses, by their ids. */
export function useRenderedPreviews(ids: readonly string[]): ReadonlyMap<string, UseQueryResult<string>> {
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: queryKeys.preview(id),
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        withConcurrencyLimit(async () => waitForPreview(id, signal)),
      staleTime: Infinity,
      retry: false,
    })),
  });
  return new Map(results.map((result, at) => [ids[at] ?? "", result]));
}

/** Browsers open six connections per origin; the rest of the page needs some of them. */
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

const pollMsDefault = 1000;

async function waitForPreview(id: string, signal: AbortSignal): Promise<string> {
  const path = `/api/files/screenshots/${id}`;
  for (;;) {
    signal.throwIfAborted();
    const { status, headers } = await request(path, { method: "GET", headers: { range: "bytes=0-0" } });
    if (status !== 202) return path;
    await new Promise((resolve) => setTimeout(resolve, Number(headers.get("x-ms-delay") ?? pollMsDefault)));
  }
}

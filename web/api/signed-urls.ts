/** Signed URLs for what the browser loads by itself: frames, images, downloads. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { addressOf } from "../base-path.ts";
import type { Ticket } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

/** A signature is valid for five minutes; a URL is signed again when its signature is older than this. */
const freshMs = 60_000;

/** Returns the address of a URL of the service with a signature for this browser. */
export async function signUrl(url: string): Promise<string> {
  return addressOf((await requestJson<Ticket>("/web/tickets", { method: "POST", body: { url } })).url);
}

/** Signs a URL for a frame or an image. The result stays the same while it is shown. */
export function useSignedUrl(url: string): UseQueryResult<string> {
  return useQuery({
    queryKey: queryKeys.signedUrl(url),
    queryFn: async () => signUrl(url),
    staleTime: freshMs,
    gcTime: 0,
    refetchOnReconnect: false,
  });
}

/** Saves a file under a name; throws when the service does not sign its URL. */
export async function download(url: string, fileName: string): Promise<void> {
  const link = document.createElement("a");
  link.href = await signUrl(url);
  link.download = fileName;
  link.click();
}

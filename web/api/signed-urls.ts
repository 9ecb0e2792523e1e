/** Signed URLs for what the browser fetches by itself: frames, images, downloads. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Ticket } from "../wire.ts";
import { requestJson } from "./client.ts";

/** A signed URL opens for five minutes; one that is older than this is signed again. */
const freshMs = 60_000;

/** Returns a URL of this service, signed for this browser. */
export async function signUrl(url: string): Promise<string> {
  return (await requestJson<Ticket>("/web/tickets", { method: "POST", body: { url } })).url;
}

/** A signed URL for a frame or an image; undefined until it is there. It stays the same while it is shown. */
export function useSignedUrl(url: string): UseQueryResult<string> {
  return useQuery({
    queryKey: ["signed", url],
    queryFn: async () => signUrl(url),
    staleTime: freshMs,
    gcTime: 0,
    refetchOnReconnect: false,
  });
}

/** Saves a file under its name; rejects when the service refuses to sign its URL. */
export async function download(url: string, fileName: string): Promise<void> {
  const link = document.createElement("a");
  link.href = await signUrl(url);
  link.download = fileName;
  link.click();
}

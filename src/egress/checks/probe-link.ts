import { fetchStatus, FetchRefused, type PublicFetchOptions } from "./public-fetch.ts";

/** Bounds of asking one link. */
export const probeBounds: PublicFetchOptions = { timeoutMs: 5000, redirectCountMax: 5 };

/**
 * Asks a link of a mail whether it answers: null where it does, also where it wants to know who asks (401, 403, 429);
 * else what a reader would meet, in one sentence. Never rejects.
 */
export async function probeLink(url: string, bounds: PublicFetchOptions = probeBounds): Promise<string | null> {
  try {
    const status = await fetchStatus(url, bounds);
    return status < 400 || [401, 403, 429].includes(status) ? null : `The link answers with status ${status}`;
  } catch (error) {
    return `The link cannot be opened. ${error instanceof FetchRefused ? error.message : "It is no address on the web"}.`;
  }
}

import { fetchStatus, FetchError, type PublicFetchOptions } from "./public-fetch.ts";

/** Limits of one link check. */
export const probeBounds: PublicFetchOptions = { timeoutMs: 5000, redirectCountMax: 5 };

/**
 * Requests a link of a mail. Returns null for a success, including 401, 403 and 429, else one sentence about the
 * problem. Never rejects.
 */
export async function probeLink(url: string, bounds: PublicFetchOptions = probeBounds): Promise<string | null> {
  try {
    const status = await fetchStatus(url, bounds);
    return status < 400 || [401, 403, 429].includes(status) ? null : `The link responds with status ${status}`;
  } catch (error) {
    return `The link cannot be opened. ${error instanceof FetchError ? error.message : "It is not a valid http or https URL"}.`;
  }
}

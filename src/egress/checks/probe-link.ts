import { fetchStatus, FetchError, type PublicFetchOptions } from "./public-fetch.ts";

/** Limits of one link check. */
export const probeBounds: PublicFetchOptions = { timeoutMs: 5000, redirectCountMax: 5 };

/**
 * Requests a link of a mail. Returns its status after redirects, null without a response, and one sentence about the
 * problem, null for a success, including 401, 403 and 429. Never rejects.
 */
export async function probeLink(
  url: string,
  bounds: Partial<PublicFetchOptions> = {},
): Promise<{ readonly status: number | null; readonly problem: string | null }> {
  try {
    const status = await fetchStatus(url, { ...probeBounds, ...bounds });
    const isSuccess = status < 400 || [401, 403, 429].includes(status);
    return { status, problem: isSuccess ? null : `The link responds with status ${status}` };
  } catch (error) {
    const reason = error instanceof FetchError ? error.message : "It is not a valid http or https URL";
    return { status: null, problem: `The link cannot be opened. ${reason}.` };
  }
}

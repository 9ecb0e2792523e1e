/** Storage quotas of servers. */
import { Problem } from "./errors.ts";
import type { ServerId } from "./ids.ts";

/** Limits on what one server holds; null for no limit. */
export interface ServerQuota {
  /** Messages, received and sent. */
  readonly messages: number | null;
  /** Bytes of these messages; see {@link storedBytes}. */
  readonly bytes: number | null;
}

/** Amount that a server holds, or that is about to be added to it. */
export interface ServerUsage {
  readonly messages: number;
  readonly bytes: number;
}

/** No limit at all. */
export const noQuota: ServerQuota = { messages: null, bytes: null };

/**
 * Returns the bytes that a message counts for: its raw bytes as received and the details that the service keeps of it, both
 * before compression. Summaries and indexes are not counted.
 */
export function storedBytes({ raw, detail }: { readonly raw: Uint8Array; readonly detail: Uint8Array }): number {
  return raw.length + detail.length;
}

/** Throws `quota_exceeded` when a server has no room for `added`. A quota of its own takes the place of the default. */
export function requireRoom(
  server: ServerId,
  { used, added }: { readonly used: ServerUsage; readonly added: ServerUsage },
  { own, fallback }: { readonly own: ServerQuota; readonly fallback: ServerQuota },
): void {
  for (const kind of ["messages", "bytes"] as const) {
    const quota = own[kind] ?? fallback[kind];
    if (quota === null || used[kind] + added[kind] <= quota) continue;
    throw new Problem("quota_exceeded", {
      text: `Server ${server} is over its quota of ${quota} ${kind}: it holds ${used[kind]}, and this needs ${added[kind]} more`,
    });
  }
}

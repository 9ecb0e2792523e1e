/** Storage quotas of servers. */
import { Problem } from "./errors.ts";
import type { ServerId } from "./ids.ts";

/** Limits on the content of one server; null for no limit. */
export interface ServerQuota {
  /** Number of messages, received and sent. */
  readonly messages: number | null;
  /** Bytes of these messages, by {@link storedBytes}. */
  readonly bytes: number | null;
}

/** Messages and bytes that a server contains, or that are added to it. */
export interface ServerUsage {
  readonly messages: number;
  readonly bytes: number;
}

/** Quota without limits. */
export const noQuota: ServerQuota = { messages: null, bytes: null };

/**
 * Returns the bytes that the content of a message counts for: its raw bytes as received and its stored details, both
 * before compression. Its annotations count too, see {@link annotationBytes}. Summaries and indexes are not counted.
 */
export function storedBytes({ raw, detail }: { readonly raw: Uint8Array; readonly detail: Uint8Array }): number {
  return raw.length + detail.length;
}

/** Returns the bytes that the annotations of a message count for: those of their JSON before compression. */
export function annotationBytes(annotations: readonly { readonly json: string }[] = []): number {
  return annotations.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

/** Returns whether a server has a limit, of its own or by default. */
export function hasQuota(own: ServerQuota, fallback: ServerQuota): boolean {
  return [own.messages ?? fallback.messages, own.bytes ?? fallback.bytes].some((limit) => limit !== null);
}

/** Throws `quota_exceeded` when `added` exceeds a server's quota. The server's own quota overrides the default. */
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

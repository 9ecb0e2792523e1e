import type { Principal } from "../../../core/api-key.ts";
import type { Context } from "../../context.ts";

/**
 * Calls `notify` whenever the principal may have lost access, on any node: its key was revoked or rotated, a session was
 * closed, or its key expires within `withinMs`. The returned function unsubscribes.
 */
export function watchKeyValidity(
  { clock, revocations }: Pick<Context, "clock" | "revocations">,
  { keyId, expiresAt = null }: Principal,
  { notify, withinMs }: { readonly notify: () => void; readonly withinMs: number },
): () => void {
  const unsubscribe = revocations.subscribe((ended) => {
    if (ended === null || ended === keyId) notify();
  });
  const leftMs = expiresAt === null ? Infinity : expiresAt - clock.now();
  const cancel = leftMs > withinMs ? undefined : clock.after(Math.max(0, leftMs), notify);
  return () => {
    unsubscribe();
    cancel?.();
  };
}

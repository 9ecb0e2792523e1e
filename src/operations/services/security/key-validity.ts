import type { Principal } from "../../../core/api-key.ts";
import type { Context } from "../../context.ts";

/**
 * Calls `ring` whenever the principal may have lost access, on any node: its key was revoked or rotated, a session was
 * closed, or its key expires within `withinMs`. The returned function unsubscribes.
 */
export function watchKeyValidity(
  { clock, revocations }: Pick<Context, "clock" | "revocations">,
  { keyId, expiresAt = null }: Principal,
  { ring, withinMs }: { readonly ring: () => void; readonly withinMs: number },
): () => void {
  const unhear = revocations.hear((ended) => {
    if (ended === null || ended === keyId) ring();
  });
  const leftMs = expiresAt === null ? Infinity : expiresAt - clock.now();
  const cancel = leftMs > withinMs ? undefined : clock.after(Math.max(0, leftMs), ring);
  return () => {
    unhear();
    cancel?.();
  };
}

import type { Principal } from "../../core/api-key.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Revokes a key. Rejects with `forbidden`, with `not_found`, and with `conflict` for the key of the request. */
export async function revokeKey(
  context: Pick<Context, "store" | "revocations">,
  principal: Principal,
  id: string,
): Promise<void> {
  requireAccount(principal);
  if (id === principal.keyId) throw new Problem("conflict", { text: "A key cannot revoke itself; use another key" });
  if (!(await context.store.removeKey(id))) throw notFound("Key");
  context.revocations.publish(id);
}

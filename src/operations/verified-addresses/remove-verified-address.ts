import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Nothing leaves for the address any more, what is queued included. Rejects with `forbidden`, with `not_found`. */
export async function removeVerifiedAddress(
  context: Pick<Context, "store">,
  principal: Principal,
  id: string,
): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.verifiedAddresses.removeVerifiedAddress(id))) throw notFound("Verified address");
}

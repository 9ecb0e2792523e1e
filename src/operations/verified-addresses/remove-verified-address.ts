import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Removes an address; queued mail to it is not sent either. Rejects with `forbidden`, with `not_found`. */
export async function removeVerifiedAddress(
  context: Pick<Context, "store">,
  principal: Principal,
  id: string,
): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.verifiedAddresses.removeVerifiedAddress(id))) throw notFound("Verified address");
}

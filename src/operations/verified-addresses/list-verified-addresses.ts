import type { Principal } from "../../core/api-key.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Returns the added addresses, by address, without those of the settings. Rejects with `forbidden`. */
export async function listVerifiedAddresses(
  context: Pick<Context, "store">,
  principal: Principal,
): Promise<readonly VerifiedAddress[]> {
  requireAccount(principal);
  return context.store.verifiedAddresses.listVerifiedAddresses();
}

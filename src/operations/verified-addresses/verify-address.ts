import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { orNotFound, requireAccount } from "../services/security/access.ts";
import { hashToken, isSame } from "./add-verified-address.ts";
import type { Context } from "../context.ts";

/** Address and the token that was mailed to its owner. */
export interface Verification {
  readonly id: string;
  readonly token?: string;
}

/**
 * Verifies a pending address; no effect on a verified one. Rejects with `forbidden`, with `not_found`, with
 * a 400 on `token`, and with `too_many_requests` after too many wrong tokens.
 */
export async function verifyAddress(
  context: Pick<Context, "store" | "wrongSecrets">,
  principal: Principal,
  { id, token = "" }: Verification,
): Promise<VerifiedAddress> {
  requireAccount(principal);
  const { verifiedAddresses } = context.store;
  const found = orNotFound(await verifiedAddresses.getVerifiedAddress(id), "Verified address");
  if (found.tokenHash === null) return found;
  const subject = `verify ${id}`;
  context.wrongSecrets.check(subject);
  if (!isSame(hashToken(token), found.tokenHash)) {
    context.wrongSecrets.recordFailure(subject);
    throw invalidField("token", "Must be the token that was mailed to the address", "wrong_token");
  }
  return orNotFound(await verifiedAddresses.verifyAddress(id), "Verified address");
}

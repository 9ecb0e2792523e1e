import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { Context } from "./context.ts";
import { findKey, principalOf } from "./find-key.ts";
import { hashKey } from "./key-hash.ts";

/** A key as a request brought it, and where the request came from. */
export interface Credentials {
  readonly key: string;
  readonly clientAddress: string;
}

/** A principal, and the hash under which its key is kept. */
export interface AuthenticatedKey {
  readonly principal: Principal;
  readonly keyHash: string;
}

/** What authentication depends on. */
export type AuthenticationContext = Pick<Context, "store" | "clock" | "secrets" | "wrongSecrets" | "keyGuard">;

/**
 * Returns the principal of a key. Rejects with `unauthenticated` for a key that is unknown, revoked, expired or used from
 * an address outside its networks; with `too_many_requests` past the key's own rate, and, without looking, after too many
 * wrong keys from an address, unless the key was right for that address before.
 */
export async function authenticate(
  context: AuthenticationContext,
  credentials: Credentials,
): Promise<AuthenticatedKey> {
  const { wrongSecrets, keyGuard } = context;
  const { clientAddress } = credentials;
  const presented = hashKey(context.secrets, credentials.key);
  const isKnown = wrongSecrets.hasSucceeded(clientAddress, presented);
  if (!isKnown) wrongSecrets.check(clientAddress);
  const found = await findKey(context, credentials.key);
  if (found === undefined || !keyGuard.allowsAddress(found.key, clientAddress)) {
    wrongSecrets.recordFailure(clientAddress);
    throw new Problem("unauthenticated");
  }
  if (!isKnown) wrongSecrets.recordSuccess(clientAddress, presented);
  keyGuard.admit(found.key);
  return { principal: principalOf(found.key, found.hash), keyHash: found.hash };
}

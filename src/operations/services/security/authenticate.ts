import type { Principal } from "../../../core/api-key.ts";
import { Problem } from "../../../core/errors.ts";
import type { Context } from "../../context.ts";
import { findKey, principalOf } from "./find-key.ts";
import { hashKey } from "./key-hash.ts";
import { judge, subjectOf } from "./throttle.ts";

/** API key of a request, and the address of the client. */
export interface Credentials {
  readonly key: string;
  readonly clientAddress: string;
  /** Hash of the key, if it is known already; see {@link hashKey}. */
  readonly hash?: string;
}

/** Principal, and the stored hash of its key. */
export interface AuthenticatedKey {
  readonly principal: Principal;
  readonly keyHash: string;
}

/** Dependencies of authentication. */
export type AuthenticationContext = Pick<Context, "store" | "clock" | "secrets" | "wrongSecrets" | "keyGuard">;

/**
 * Returns the principal of a key. Rejects with `unauthenticated` for a key that is unknown, revoked, expired or used from
 * an address outside its networks; with `too_many_requests` past the key's rate limit, and as {@link judge} does after too
 * many wrong keys from an address.
 */
export async function authenticate(
  context: AuthenticationContext,
  { key, clientAddress, hash = hashKey(context.secrets, key) }: Credentials,
): Promise<AuthenticatedKey> {
  const { wrongSecrets, keyGuard } = context;
  const attempt = { subjects: [subjectOf(clientAddress)], hash } as const;
  const found = await judge(wrongSecrets, attempt, async () => {
    const one = await findKey(context, key, hash);
    return one !== undefined && keyGuard.allowsAddress(one.key, clientAddress) ? one : undefined;
  });
  if (found === undefined) throw new Problem("unauthenticated");
  keyGuard.admit(found.key);
  return { principal: principalOf(found.key, found.hash), keyHash: found.hash };
}

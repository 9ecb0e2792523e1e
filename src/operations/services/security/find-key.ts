import type { ApiKey, Principal } from "../../../core/api-key.ts";
import type { Context } from "../../context.ts";
import { hashKey } from "./key-hash.ts";

/** Found key, and its stored hash. */
export interface FoundKey {
  readonly key: ApiKey;
  readonly hash: string;
}

type Dependencies = Pick<Context, "store" | "clock" | "secrets">;

/**
 * Returns the key with this secret; undefined for an unknown, revoked or expired one, and for a former secret whose grace
 * period has expired. `hash` is that of {@link hashKey}.
 */
export async function findKey(
  context: Dependencies,
  secret: string,
  hash: string = hashKey(context.secrets, secret),
): Promise<FoundKey | undefined> {
  const key = await openKey(context, hash);
  return key && { key, hash };
}

/** Returns the valid key with this hash; undefined when the key, or the former secret with the hash, has expired. */
export async function openKey(
  { store, clock }: Pick<Context, "store" | "clock">,
  hash: string,
): Promise<ApiKey | undefined> {
  const key = await store.findKey(hash);
  if (key === undefined) return undefined;
  const end = endOf(key, hash);
  return end === null || clock.now() < end ? key : undefined;
}

/** Returns the principal of a key found by this hash. */
export function principalOf(key: ApiKey, hash: string): Principal {
  return { keyId: key.id, keyName: key.name, server: key.server, scope: key.scope, expiresAt: endOf(key, hash) };
}

function endOf({ expiresAt, former }: ApiKey, hash: string): number | null {
  if (former?.hash !== hash) return expiresAt;
  return Math.min(former.until, expiresAt ?? former.until);
}

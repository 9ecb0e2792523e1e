import type { ApiKey, Principal } from "../../../core/api-key.ts";
import type { Context } from "../../context.ts";
import { hashKey, plainHashOf } from "./key-hash.ts";

/** A key that was found, and the hash under which it is kept. */
export interface FoundKey {
  readonly key: ApiKey;
  readonly hash: string;
}

type Dependencies = Pick<Context, "store" | "clock" | "secrets">;

/**
 * Returns the key with this secret; undefined for an unknown, revoked or expired one, and for a former secret whose grace
 * period is over. A hash that an older version or a command left is replaced at this use.
 */
export async function findKey(context: Dependencies, secret: string): Promise<FoundKey | undefined> {
  const hash = hashKey(context.secrets, secret);
  const known = await openKey(context, hash);
  if (known !== undefined) return { key: known, hash };
  const older = await openKey(context, plainHashOf(secret));
  if (older === undefined) return undefined;
  await context.store.rehashKey(older.id, hash);
  return { key: { ...older, hash }, hash };
}

/** Returns the key that a hash opens now; undefined once the key, or the former secret of that hash, has ended. */
export async function openKey(
  { store, clock }: Pick<Context, "store" | "clock">,
  hash: string,
): Promise<ApiKey | undefined> {
  const key = await store.findKey(hash);
  if (key === undefined) return undefined;
  const end = endOf(key, hash);
  return end === null || clock.now() < end ? key : undefined;
}

/** Returns the principal of a key that was found by this hash. */
export function principalOf(key: ApiKey, hash: string): Principal {
  return { keyId: key.id, keyName: key.name, server: key.server, scope: key.scope, expiresAt: endOf(key, hash) };
}

function endOf({ expiresAt, former }: ApiKey, hash: string): number | null {
  if (former?.hash !== hash) return expiresAt;
  return Math.min(former.until, expiresAt ?? former.until);
}

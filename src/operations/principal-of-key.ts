import type { Principal } from "../core/api-key.ts";
import type { Context } from "./context.ts";

/** Whoever the key with this hash (see `hashKey`) speaks for now; undefined once it is revoked. */
export async function principalOfKey(context: Pick<Context, "store">, keyHash: string): Promise<Principal | undefined> {
  const found = await context.store.findKey(keyHash);
  return found === undefined ? undefined : { keyId: found.id, server: found.server };
}

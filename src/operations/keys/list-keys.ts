import type { ApiKey, Principal } from "../../core/api-key.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Returns all keys, oldest first. Rejects with `forbidden`. */
export async function listKeys(context: Pick<Context, "store">, principal: Principal): Promise<readonly ApiKey[]> {
  requireAccount(principal);
  return context.store.listKeys();
}

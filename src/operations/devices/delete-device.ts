import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Forgets a device and its secret; rejects with `forbidden` and `not_found`. */
export async function deleteDevice(context: Pick<Context, "store">, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.removeDevice(id.toLowerCase()))) throw notFound("Device");
}

import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Deletes a device and its secret. Rejects with `forbidden` and `not_found`. */
export async function deleteDevice(context: Pick<Context, "store">, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.removeDevice(id.toLowerCase()))) throw notFound("Device");
}

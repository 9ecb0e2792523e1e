import type { Principal } from "../../core/api-key.ts";
import type { Device } from "../../core/device.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Returns all devices, oldest first. Rejects with `forbidden`. */
export async function listDevices(context: Pick<Context, "store">, principal: Principal): Promise<readonly Device[]> {
  requireAccount(principal);
  const devices = await context.store.listDevices();
  return devices.map(({ id, name }) => ({ id, name }));
}

import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { orNotFound, requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import type { DeviceRequest } from "./create-device.ts";
import {
  parseTotpSecret,
  passwordAt,
  type OneTimePassword,
  type TotpSecret,
} from "../services/security/one-time-password.ts";

/**
 * Returns the current password of a device. Rejects with `forbidden`, with `not_found`, and with `conflict` when the secret
 * was sealed with another secret key.
 */
export async function getDevicePassword(
  context: Pick<Context, "store" | "clock" | "secrets">,
  principal: Principal,
  idText: string,
): Promise<OneTimePassword> {
  requireAccount(principal);
  const device = orNotFound(await context.store.getDevice(idText.toLowerCase()), "Device");
  const json = context.secrets.open(device.sealedSecret, device.id);
  if (json === undefined) {
    const text = "This device was sealed with another secret key; restore that key, or create the device again";
    throw new Problem("conflict", { text });
  }
  return passwordAt(JSON.parse(json) as TotpSecret, context.clock.now());
}

/** Returns the current password of a given secret, without storing it. Throws `forbidden`, and a 400 on `sharedSecret`. */
export function getSecretPassword(
  context: Pick<Context, "clock">,
  principal: Principal,
  { sharedSecret }: DeviceRequest,
): OneTimePassword {
  requireAccount(principal);
  if (sharedSecret === undefined) throw invalidField("sharedSecret", "A shared secret is required", "required");
  return passwordAt(parseTotpSecret(sharedSecret), context.clock.now());
}

import { randomUUID } from "node:crypto";
import type { Principal } from "../core/api-key.ts";
import type { Device } from "../core/device.ts";
import { invalidField } from "../core/errors.ts";
import { requireAccount } from "./access.ts";
import type { Context } from "./context.ts";
import { parseTotpSecret } from "./one-time-password.ts";

/** What the caller says of a new device. */
export interface DeviceRequest {
  /** Absent: the label of an `otpauth://` URI. */
  readonly name?: string;
  /** Base32, or an `otpauth://totp/` URI. */
  readonly sharedSecret?: string;
}

const nameLengthMax = 200;

/** Keeps an authenticator, its secret sealed. Rejects with `forbidden`, and with a 400 that names the field. */
export async function createDevice(
  context: Pick<Context, "store" | "clock" | "secrets">,
  principal: Principal,
  { name: wanted, sharedSecret }: DeviceRequest,
): Promise<Device> {
  requireAccount(principal);
  if (sharedSecret === undefined) throw invalidField("sharedSecret", "Devices need a shared secret", "required");
  const secret = parseTotpSecret(sharedSecret);
  const name = (wanted ?? secret.label).trim();
  if (name === "") throw invalidField("name", "Devices need a name", "required");
  if (name.length > nameLengthMax) throw invalidField("name", "Names have at most 200 characters", "too_long");
  const id = randomUUID();
  const sealedSecret = context.secrets.seal(JSON.stringify(secret), id);
  await context.store.addDevice({ id, name: name.toWellFormed(), sealedSecret, createdAt: context.clock.now() });
  return { id, name: name.toWellFormed() };
}

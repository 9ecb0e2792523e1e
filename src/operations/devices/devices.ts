import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import type { Device } from "../../core/device.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { totpSecret } from "../../core/text-schemas.ts";
import type { Context } from "../context.ts";
import { orNotFound, requireAccount } from "../services/security/access.ts";
import { parseTotpSecret, passwordAt } from "../services/security/one-time-password.ts";
import type { OneTimePassword, TotpSecret } from "../services/security/one-time-password.ts";

const nameLengthMax = 200;
const sharedSecret = totpSecret("Base32, or an `otpauth://totp/` URI.");

/** Request body with a secret, and the name of the device that stores it. */
export const deviceRequestSchema = build.partial({
  name: build.string({ pattern: "\\S", maxLength: nameLengthMax }),
  sharedSecret,
});

/** Fields of a new device, whose name is the label of an `otpauth://` URI by default. */
type DeviceRequest = ValueOf<typeof deviceRequestSchema>;

/** Request body with a secret alone; the name that some libraries send beside it is not used. */
export const secretRequestSchema = build.partial({ sharedSecret });

/** Stores an authenticator with its secret sealed. Rejects with `forbidden`, and with a 400 that names every wrong field. */
export async function createDevice(context: Context, principal: Principal, request: DeviceRequest): Promise<Device> {
  requireAccount(principal);
  const { name, secret } = readDevice(request);
  const id = randomUUID();
  const sealedSecret = context.secrets.seal(JSON.stringify(secret), id);
  await context.store.addDevice({ id, name, sealedSecret, createdAt: context.clock.now() });
  return { id, name };
}

/**
 * Returns name and secret of a new device; throws a 400 that names every wrong field. `wrong` has the fields that could not
 * be decoded: the name may be in the secret.
 */
export function readDevice(
  { name: wanted, sharedSecret }: DeviceRequest,
  wrong: ReadonlySet<string> = new Set(),
): { readonly name: string; readonly secret: TotpSecret | undefined } {
  const errors = new FieldCollector();
  const secret = errors.collect(() => readSecret(sharedSecret));
  const name = (wanted ?? secret?.label ?? "").trim();
  const hasSecret = sharedSecret !== undefined || wrong.has("sharedSecret");
  const isLabelUnknown = secret === undefined && wanted === undefined && hasSecret;
  if (name === "" && !isLabelUnknown)
    errors.add({ field: "name", description: "Devices need a name", code: "required" });
  if (name.length > nameLengthMax) {
    errors.add({ field: "name", description: "Names have at most 200 characters", code: "too_long" });
  }
  errors.finish();
  return { name: name.toWellFormed(), secret };
}

function readSecret(sharedSecret: string | undefined): TotpSecret {
  if (sharedSecret === undefined) throw invalidField("sharedSecret", "Devices need a shared secret", "required");
  return parseTotpSecret(sharedSecret);
}

/** Returns all devices, oldest first. Rejects with `forbidden`. */
export async function listDevices(context: Context, principal: Principal): Promise<readonly Device[]> {
  requireAccount(principal);
  const devices = await context.store.listDevices();
  return devices.map(({ id, name }) => ({ id, name }));
}

/** Deletes a device and its secret. Rejects with `forbidden` and `not_found`. */
export async function deleteDevice(context: Context, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.removeDevice(id.toLowerCase()))) throw notFound("Device");
}

/**
 * Returns the current password of a device. Rejects with `forbidden`, with `not_found`, and with `conflict` when the secret
 * was sealed with another secret key.
 */
export async function getDevicePassword(
  context: Context,
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
  context: Context,
  principal: Principal,
  { sharedSecret }: DeviceRequest,
): OneTimePassword {
  requireAccount(principal);
  if (sharedSecret === undefined) throw invalidField("sharedSecret", "A shared secret is required", "required");
  return passwordAt(parseTotpSecret(sharedSecret), context.clock.now());
}

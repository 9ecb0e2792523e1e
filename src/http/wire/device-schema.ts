/** Schemas of devices, without their secrets. */
import type { Device } from "../../core/device.ts";
import type { DeviceRequest } from "../../operations/devices/devices.ts";
import type { OneTimePassword } from "../../operations/services/security/one-time-password.ts";
import { build, schemaOf, type ValueOf, type WireSchema } from "./schema.ts";
import { totpSecret } from "./text-schemas.ts";

/** Schema of a device. */
export const deviceSchema: WireSchema<Device> = schemaOf<Device>()(
  build.object({ id: build.string({ format: "uuid" }), name: build.string() }, { $id: "Device" }),
);

/** Schema of a one-time password. */
export const passwordOfDeviceSchema = build.object(
  {
    code: build.string({ pattern: "^\\d{6,8}$" }),
    expires: build.string({ format: "date-time", description: "When the next code replaces this one." }),
  },
  { $id: "OneTimePassword" },
);

/** JSON of a one-time password. */
export type WirePassword = ValueOf<typeof passwordOfDeviceSchema>;

const sharedSecret = build.optional(totpSecret({ description: "Base32, or an `otpauth://totp/` URI." }));

/** Request body with a secret, and the name of the device that stores it. */
export const deviceRequestSchema: WireSchema<DeviceRequest> = schemaOf<DeviceRequest>()(
  build.object({
    name: build.optional(build.string({ pattern: "\\S", maxLength: 200 })),
    sharedSecret,
  }),
);

/** Request body with a secret alone; the name that some libraries send beside it is not used. */
export const secretRequestSchema: WireSchema<Pick<DeviceRequest, "sharedSecret">> = schemaOf<
  Pick<DeviceRequest, "sharedSecret">
>()(build.object({ sharedSecret }));

/** Returns a one-time password in its JSON form. */
export function toWirePassword({ code, expiresAt }: OneTimePassword): WirePassword {
  return { code, expires: new Date(expiresAt).toISOString() };
}

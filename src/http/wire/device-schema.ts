/** Devices as the wire shows them: never their secrets. */
import type { Device } from "../../core/device.ts";
import type { DeviceRequest } from "../../operations/create-device.ts";
import type { OneTimePassword } from "../../operations/one-time-password.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** A one-time password on the wire. */
export interface WirePassword {
  readonly code: string;
  /** ISO 8601 in UTC. */
  readonly expires: string;
}

/** A device. */
export const deviceSchema: WireSchema<Device> = schemaOf<Device>()(
  build.object({ id: build.string({ format: "uuid" }), name: build.string() }, { $id: "Device" }),
);

/** A one-time password. */
export const passwordOfDeviceSchema: WireSchema<WirePassword> = schemaOf<WirePassword>()(
  build.object(
    {
      code: build.string({ pattern: "^\\d{6,8}$" }),
      expires: build.string({ format: "date-time", description: "From when on the next code counts." }),
    },
    { $id: "OneTimePassword" },
  ),
);

/** Body that names a secret, and the device that is to keep it. */
export const deviceRequestSchema: WireSchema<DeviceRequest> = schemaOf<DeviceRequest>()(
  build.object({
    name: build.optional(build.string({ maxLength: 200 })),
    sharedSecret: build.optional(build.string({ description: "Base32, or an `otpauth://totp/` URI." })),
  }),
);

/** A password as the wire shows it. */
export function toWirePassword({ code, expiresAt }: OneTimePassword): WirePassword {
  return { code, expires: new Date(expiresAt).toISOString() };
}

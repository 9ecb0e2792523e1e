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
  build.Object({ id: build.String({ format: "uuid" }), name: build.String() }, { $id: "Device" }),
);

/** A one-time password. */
export const passwordOfDeviceSchema: WireSchema<WirePassword> = schemaOf<WirePassword>()(
  build.Object(
    {
      code: build.String({ pattern: "^\\d{6,8}$" }),
      expires: build.String({ format: "date-time", description: "From when on the next code counts." }),
    },
    { $id: "OneTimePassword" },
  ),
);

/** Body that names a secret, and the device that is to keep it. */
export const deviceRequestSchema: WireSchema<DeviceRequest> = schemaOf<DeviceRequest>()(
  build.Object({
    name: build.Optional(build.String({ maxLength: 200 })),
    sharedSecret: build.Optional(build.String({ description: "Base32, or an `otpauth://totp/` URI." })),
  }),
);

/** A password as the wire shows it. */
export function toWirePassword({ code, expiresAt }: OneTimePassword): WirePassword {
  return { code, expires: new Date(expiresAt).toISOString() };
}

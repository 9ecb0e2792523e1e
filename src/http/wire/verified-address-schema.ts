/** Schemas of verified addresses, without their tokens. */
import type { VerificationRequest } from "../../operations/verified-addresses/verified-addresses.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { build, schemaOf, type ValueOf, type WireSchema } from "./schema.ts";
import { emailAddress } from "./text-schemas.ts";

/** Schema of an address. */
export const verifiedAddressSchema = build.object(
  {
    id: build.string({ format: "uuid" }),
    address: build.string(),
    status: build.enum(["Pending", "Verified"]),
    createdAt: build.string({ format: "date-time" }),
  },
  { $id: "VerifiedAddress" },
);

/** JSON of an address that mail may be sent to, or whose owner has not confirmed yet. */
export type WireVerifiedAddress = ValueOf<typeof verifiedAddressSchema>;

/** Request body that adds an address. */
export const verificationRequestSchema: WireSchema<VerificationRequest> = schemaOf<VerificationRequest>()(
  build.object({
    address: build.optional(emailAddress({ description: "One plain address; required." })),
    operatorToken: build.optional(
      build.string({ description: "Token from `service.json` in the data folder; verifies the address at once." }),
    ),
  }),
);

/** Request body that verifies an address. */
export const tokenSchema: WireSchema<{ readonly token?: string }> = schemaOf<{ readonly token?: string }>()(
  build.object({ token: build.optional(build.string({ description: "Token from the verification mail; required." })) }),
);

/** Returns an address in its JSON form. */
export function toWireVerifiedAddress({ id, address, status, createdAt }: VerifiedAddress): WireVerifiedAddress {
  return { id, address, status, createdAt: new Date(createdAt).toISOString() };
}

/** Verified addresses as the wire shows them: never their token. */
import type { VerificationRequest } from "../../operations/add-verified-address.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** An address that mail may go to, or that waits for its owner's word. */
export interface WireVerifiedAddress extends Omit<VerifiedAddress, "tokenHash" | "createdAt"> {
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** An address. */
export const verifiedAddressSchema: WireSchema<WireVerifiedAddress> = schemaOf<WireVerifiedAddress>()(
  build.object(
    {
      id: build.string({ format: "uuid" }),
      address: build.string(),
      status: build.enum(["Pending", "Verified"]),
      createdAt: build.string({ format: "date-time" }),
    },
    { $id: "VerifiedAddress" },
  ),
);

/** Body that adds an address. */
export const verificationRequestSchema: WireSchema<VerificationRequest> = schemaOf<VerificationRequest>()(
  build.object({
    address: build.optional(build.string({ description: "One plain address; required." })),
    operatorToken: build.optional(
      build.string({ description: "From `service.json` in the data folder: verifies at once." }),
    ),
  }),
);

/** Body that verifies an address. */
export const tokenSchema: WireSchema<{ readonly token?: string }> = schemaOf<{ readonly token?: string }>()(
  build.object({ token: build.optional(build.string({ description: "As it was mailed; required." })) }),
);

/** The address as the wire shows it. */
export function toWireVerifiedAddress({ id, address, status, createdAt }: VerifiedAddress): WireVerifiedAddress {
  return { id, address, status, createdAt: new Date(createdAt).toISOString() };
}

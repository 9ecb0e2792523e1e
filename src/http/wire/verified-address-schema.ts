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
  build.Object(
    {
      id: build.String({ format: "uuid" }),
      address: build.String(),
      status: build.Enum(["Pending", "Verified"]),
      createdAt: build.String({ format: "date-time" }),
    },
    { $id: "VerifiedAddress" },
  ),
);

/** Body that adds an address. */
export const verificationRequestSchema: WireSchema<VerificationRequest> = schemaOf<VerificationRequest>()(
  build.Object({
    address: build.Optional(build.String({ description: "One plain address; required." })),
    operatorToken: build.Optional(
      build.String({ description: "From `service.json` in the data folder: verifies at once." }),
    ),
  }),
);

/** Body that verifies an address. */
export const tokenSchema: WireSchema<{ readonly token?: string }> = schemaOf<{ readonly token?: string }>()(
  build.Object({ token: build.Optional(build.String({ description: "As it was mailed; required." })) }),
);

/** The address as the wire shows it. */
export function toWireVerifiedAddress({ id, address, status, createdAt }: VerifiedAddress): WireVerifiedAddress {
  return { id, address, status, createdAt: new Date(createdAt).toISOString() };
}

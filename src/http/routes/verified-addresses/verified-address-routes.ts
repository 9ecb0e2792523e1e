import { accountRoute } from "../rows.ts";
import type { KeyRoute } from "../../route.ts";
import {
  addVerifiedAddress,
  listVerifiedAddresses,
  removeVerifiedAddress,
  verificationRequestSchema,
  verifyAddress,
} from "../../../operations/verified-addresses/verified-addresses.ts";
import { listOf } from "../../../core/schema.ts";
import { tokenSchema, toWireVerifiedAddress, verifiedAddressSchema } from "../../wire/account-schema.ts";
import { auditedAct, responseText } from "../../audit.ts";

/** Routes below `/api/verified-addresses`. */
export const verifiedAddressRoutes: readonly KeyRoute[] = [
  accountRoute("listVerifiedAddresses", "GET /api/verified-addresses", {
    summary: "List the verified and pending addresses.",
    returns: ["The addresses.", listOf(verifiedAddressSchema)],
    run: async ({ context, principal }) => (await listVerifiedAddresses(context, principal)).map(toWireVerifiedAddress),
  }),
  accountRoute("addVerifiedAddress", "POST /api/verified-addresses", {
    summary: "Add an address and send its owner a verification mail.",
    body: verificationRequestSchema,
    required: ["address"],
    audit: (_call, response, { operatorToken }) =>
      auditedAct("verified_address.add", {
        target: responseText(response, "id"),
        details: { status: responseText(response, "status") ?? "" },
        ...(operatorToken !== undefined && { by: "operator" }),
      }),
    returns: ["The address, pending.", verifiedAddressSchema],
    problems: ["conflict", "too_many_requests"],
    run: async ({ context, principal }, request) =>
      toWireVerifiedAddress(await addVerifiedAddress(context, principal, request)),
  }),
  accountRoute("verifyAddress", "POST /api/verified-addresses/:id/verify", {
    summary: "Verify an address by the token that was mailed to it.",
    body: tokenSchema,
    required: ["token"],
    audit: (call) => auditedAct("verified_address.verify", { target: call.id }),
    returns: ["The address, verified.", verifiedAddressSchema],
    problems: ["too_many_requests"],
    run: async ({ context, principal, id }, token) =>
      toWireVerifiedAddress(await verifyAddress(context, principal, { ...token, id })),
  }),
  accountRoute("removeVerifiedAddress", "DELETE /api/verified-addresses/:id", {
    summary: "Remove an address that mail may be sent to.",
    audit: (call) => auditedAct("verified_address.remove", { target: call.id }),
    returns: ["Removed."],
    run: async ({ context, principal, id }) => removeVerifiedAddress(context, principal, id),
  }),
];

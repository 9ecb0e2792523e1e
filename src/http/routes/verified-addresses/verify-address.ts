import { verifyAddress } from "../../../operations/verified-addresses/verify-address.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { tokenSchema, toWireVerifiedAddress, verifiedAddressSchema } from "../../wire/verified-address-schema.ts";

/** `POST /api/verified-addresses/:id/verify`: verifies an address by its token. */
export const verifyAddressRoute: KeyRoute = {
  method: "POST",
  path: "/api/verified-addresses/:id/verify",
  operationId: "verifyAddress",
  summary: "Verify an address by the token that was mailed to it.",
  access: "account",
  audit: (call) => auditedAct("verified_address.verify", { target: call.id }),
  body: { schema: tokenSchema, required: ["token"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The address, verified.", schema: verifiedAddressSchema }],
  problems: ["invalid_request", "not_found", "too_many_requests", "storage_full"],
  respond: async (call) => {
    const verification = { ...decodeBody(tokenSchema, call.body), id: call.id };
    return jsonResponse(toWireVerifiedAddress(await verifyAddress(call.context, call.principal, verification)));
  },
};

import { addVerifiedAddress } from "../../../operations/verified-addresses/add-verified-address.ts";
import { jsonResponse } from "../../http-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import {
  toWireVerifiedAddress,
  verificationRequestSchema,
  verifiedAddressSchema,
} from "../../wire/verified-address-schema.ts";

/** `POST /api/verified-addresses`: adds an address and sends its owner a verification mail. */
export const addVerifiedAddressRoute: KeyRoute = {
  method: "POST",
  path: "/api/verified-addresses",
  operationId: "addVerifiedAddress",
  summary: "Add an address and send its owner a verification mail.",
  access: "account",
  audit: (call, response) => {
    const { operatorToken } = decodeBody(verificationRequestSchema, call.body);
    return auditedAct("verified_address.add", {
      target: responseText(response, "id"),
      details: { status: responseText(response, "status") ?? "" },
      ...(operatorToken !== undefined && { by: "operator" }),
    });
  },
  body: { schema: verificationRequestSchema, required: ["address"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The address, pending.", schema: verifiedAddressSchema }],
  problems: ["invalid_request", "conflict", "too_many_requests", "storage_full"],
  respond: async (call) => {
    const request = decodeBody(verificationRequestSchema, call.body);
    return jsonResponse(toWireVerifiedAddress(await addVerifiedAddress(call.context, call.principal, request)));
  },
};

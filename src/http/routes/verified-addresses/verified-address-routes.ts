import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import {
  addVerifiedAddress,
  listVerifiedAddresses,
  removeVerifiedAddress,
  verifyAddress,
} from "../../../operations/verified-addresses/verified-addresses.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";
import {
  tokenSchema,
  toWireVerifiedAddress,
  verificationRequestSchema,
  verifiedAddressSchema,
} from "../../wire/account-schema.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `DELETE /api/verified-addresses/:id`: removes an address, which then receives no mail. */
const removeVerifiedAddressRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/verified-addresses/:id",
  operationId: "removeVerifiedAddress",
  summary: "Remove an address that mail may be sent to.",
  access: "account",
  audit: (call) => auditedAct("verified_address.remove", { target: call.id }),
  successes: [{ status: 204, description: "Removed." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await removeVerifiedAddress(call.context, call.principal, call.id);
    return noContent;
  },
};

/** `POST /api/verified-addresses/:id/verify`: verifies an address by its token. */
const verifyAddressRoute: KeyRoute = {
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

/** `POST /api/verified-addresses`: adds an address and sends its owner a verification mail. */
const addVerifiedAddressRoute: KeyRoute = {
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

/** `GET /api/verified-addresses`: verified and pending addresses, in order. */
const listVerifiedAddressesRoute: KeyRoute = {
  method: "GET",
  path: "/api/verified-addresses",
  operationId: "listVerifiedAddresses",
  summary: "List the verified and pending addresses.",
  access: "account",
  successes: [{ status: 200, description: "The addresses.", schema: listOf(verifiedAddressSchema) }],
  problems: [],
  respond: async (call) => {
    const addresses = await listVerifiedAddresses(call.context, call.principal);
    return listResponse(call, addresses.map(toWireVerifiedAddress));
  },
};

/** Routes below `/api/verified-addresses`. */
export const verifiedAddressRoutes: readonly KeyRoute[] = [
  listVerifiedAddressesRoute,
  addVerifiedAddressRoute,
  verifyAddressRoute,
  removeVerifiedAddressRoute,
];

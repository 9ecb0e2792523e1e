import { listVerifiedAddresses } from "../../../operations/verified-addresses/list-verified-addresses.ts";
import { listResponse } from "../../lists/page-response.ts";
import type { KeyRoute } from "../../route.ts";
import { listOf } from "../../wire/schema.ts";
import { toWireVerifiedAddress, verifiedAddressSchema } from "../../wire/verified-address-schema.ts";

/** `GET /api/verified-addresses`: verified and pending addresses, in order. */
export const listVerifiedAddressesRoute: KeyRoute = {
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

import { listVerifiedAddresses } from "../../../operations/list-verified-addresses.ts";
import { listResponse } from "../../lists/page-response.ts";
import type { KeyRoute } from "../../route.ts";
import { listOf } from "../../wire/schema.ts";
import { toWireVerifiedAddress, verifiedAddressSchema } from "../../wire/verified-address-schema.ts";

/** `GET /api/verified-addresses`: the addresses that were added, by address. */
export const listVerifiedAddressesRoute: KeyRoute = {
  method: "GET",
  path: "/api/verified-addresses",
  operationId: "listVerifiedAddresses",
  summary: "List the addresses that mail may go to or that were asked.",
  access: "account",
  successes: [{ status: 200, description: "The addresses.", schema: listOf(verifiedAddressSchema) }],
  problems: [],
  respond: async (call) => {
    const addresses = await listVerifiedAddresses(call.context, call.principal);
    return listResponse(call, addresses.map(toWireVerifiedAddress));
  },
};

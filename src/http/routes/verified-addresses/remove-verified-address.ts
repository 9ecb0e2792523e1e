import { removeVerifiedAddress } from "../../../operations/verified-addresses/remove-verified-address.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";

/** `DELETE /api/verified-addresses/:id`: removes an address, which then receives no mail. */
export const removeVerifiedAddressRoute: KeyRoute = {
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

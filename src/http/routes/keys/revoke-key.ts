import { revokeKey } from "../../../operations/keys/revoke-key.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";

/** `DELETE /api/keys/:id`: revokes a key at once. */
export const revokeKeyRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/keys/:id",
  operationId: "revokeKey",
  summary: "Revoke a key; a key cannot revoke itself.",
  access: "account",
  audit: (call) => auditedAct("key.revoke", { target: call.id }),
  successes: [{ status: 204, description: "Revoked." }],
  problems: ["not_found", "conflict", "storage_full"],
  respond: async (call) => {
    await revokeKey(call.context, call.principal, call.id);
    return noContent;
  },
};

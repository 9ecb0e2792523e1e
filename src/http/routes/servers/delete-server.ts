import { deleteServer } from "../../../operations/servers/delete-server.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";

/** `DELETE /api/servers/:id`: deletes a server, its messages and its keys permanently. */
export const deleteServerRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/servers/:id",
  operationId: "deleteServer",
  summary: "Delete a server with its messages, attachments and keys.",
  access: "account",
  audit: (call) => auditedAct("server.delete", { target: call.id, server: call.id }),
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteServer(call.context, call.principal, call.id);
    return noContent;
  },
};

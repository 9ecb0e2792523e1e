import { emptyServer } from "../../../operations/messages/empty-server.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { serverParameter } from "../../lists/page-request.ts";
import { requireServer } from "../../wire/page-query.ts";

/** `DELETE /api/messages`: deletes all messages of a server and their attachments permanently. */
export const emptyServerRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages",
  operationId: "emptyServer",
  summary: "Delete all messages of a server with their attachments.",
  access: "key",
  audit: (call) => {
    const server = requireServer(call.query);
    return auditedAct("server.empty", { target: server, server });
  },
  query: [serverParameter],
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    await emptyServer(call.context, call.principal, requireServer(call.query));
    return noContent;
  },
};

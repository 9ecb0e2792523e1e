import { decodeMessageId, parseMessageId } from "../../../core/ids.ts";
import { deleteMessage } from "../../../operations/messages/delete-message.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";

/** `DELETE /api/messages/:id`: deletes a message and its attachments permanently. */
export const deleteMessageRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages/:id",
  operationId: "deleteMessage",
  summary: "Delete a message with its attachments.",
  access: "key",
  audit: (call) => {
    const message = parseMessageId(call.id);
    const server = message === undefined ? null : decodeMessageId(message).server;
    return auditedAct("message.delete", { target: call.id, server });
  },
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteMessage(call.context, call.principal, call.id);
    return noContent;
  },
};

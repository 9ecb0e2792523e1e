import { openMessage } from "../../../operations/messages/get-message.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { messageResponse } from "../../wire/message-response.ts";
import { messageSchema } from "../../wire/message-schema.ts";

/** `GET /api/messages/:id`: a full message. */
export const getMessageRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id",
  operationId: "getMessage",
  summary: "Retrieve a message.",
  access: "key",
  successes: [{ status: 200, description: "The full message.", schema: messageSchema }],
  problems: ["not_found"],
  respond: async (call) => {
    return messageResponse(await openMessage({ ...withSignal(call), room: call.room }, call.principal, call.id));
  },
};

import { openMessage } from "../../../operations/messages/get-message.ts";
import { jsonResponse, jsonStreamResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { isOnePiece, messageChunks } from "../../wire/message-json.ts";
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
    const opened = await openMessage({ ...withSignal(call), room: call.room }, call.principal, call.id);
    return isOnePiece(opened) ? jsonResponse(opened.message) : jsonStreamResponse(messageChunks(opened));
  },
};

import { openMessage } from "../../../operations/get-message.ts";
import { jsonAnswer, jsonStreamAnswer } from "../../answer.ts";
import { withGone, type KeyRoute } from "../../route.ts";
import { isOnePiece, messagePieces } from "../../wire/message-json.ts";
import { messageSchema } from "../../wire/message-schema.ts";

/** `GET /api/messages/:id`: the full message. */
export const getMessageRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id",
  operationId: "getMessage",
  summary: "Retrieve a message.",
  access: "key",
  successes: [{ status: 200, description: "The full message.", schema: messageSchema }],
  problems: ["not_found"],
  answer: async (call) => {
    const opened = await openMessage({ ...withGone(call), room: call.room }, call.principal, call.id);
    return isOnePiece(opened) ? jsonAnswer(opened.message) : jsonStreamAnswer(messagePieces(opened));
  },
};

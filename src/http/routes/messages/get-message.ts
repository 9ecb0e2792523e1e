import { getMessage } from "../../../operations/get-message.ts";
import { jsonAnswer } from "../../answer.ts";
import { withGone, type KeyRoute } from "../../route.ts";
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
  answer: async (call) => jsonAnswer(await getMessage({ ...withGone(call), room: call.room }, call.principal, call.id)),
};

import { replyToMessage } from "../../../operations/reply-to-message.ts";
import { jsonAnswer } from "../../answer.ts";
import type { KeyRoute } from "../../route.ts";
import { contentBodyBytesMax, replyFieldsSchema, repeatKeyOf } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { composing } from "./composing.ts";

/** `POST /api/messages/:id/reply`: an answer to the message. */
export const replyToMessageRoute: KeyRoute = {
  ...composing,
  path: "/api/messages/:id/reply",
  operationId: "replyToMessage",
  summary: "Answer a message.",
  body: { schema: replyFieldsSchema, bytesMax: contentBodyBytesMax },
  successes: [{ status: 200, description: "The sent message.", schema: messageSchema }],
  answer: async (call) => {
    const fields = decodeBody(replyFieldsSchema, call.body);
    const repeatKey = repeatKeyOf(call.headers);
    return jsonAnswer(await replyToMessage(call.context, call.principal, { id: call.id, fields, repeatKey }));
  },
};

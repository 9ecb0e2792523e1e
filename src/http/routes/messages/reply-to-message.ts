import { checkReplyFields, replyToMessage } from "../../../operations/messages/reply-to-message.ts";
import { messageResponse } from "../../wire/message-response.ts";
import type { KeyRoute } from "../../route.ts";
import { contentBodyBytesMax, replyFieldsSchema, repeatKeyOf } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { composing } from "./composing.ts";

/** `POST /api/messages/:id/reply`: replies to a message. */
export const replyToMessageRoute: KeyRoute = {
  ...composing,
  path: "/api/messages/:id/reply",
  operationId: "replyToMessage",
  summary: "Reply to a message.",
  body: { schema: replyFieldsSchema, bytesMax: contentBodyBytesMax },
  successes: [{ status: 200, description: "The sent message.", schema: messageSchema }],
  respond: async (call) => {
    const fields = decodeBody(replyFieldsSchema, call.body, (partial) => {
      checkReplyFields(call.context, partial);
    });
    const repeatKey = repeatKeyOf(call.headers);
    return messageResponse(await replyToMessage(call.context, call.principal, { id: call.id, fields, repeatKey }));
  },
};

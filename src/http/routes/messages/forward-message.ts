import { forwardMessage, readForwardRecipients } from "../../../operations/messages/forward-message.ts";
import { messageResponse } from "../../wire/message-response.ts";
import type { KeyRoute } from "../../route.ts";
import { contentBodyBytesMax, forwardFieldsSchema, repeatKeyOf } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { composing } from "./composing.ts";

/** `POST /api/messages/:id/forward`: forwards a mail. */
export const forwardMessageRoute: KeyRoute = {
  ...composing,
  path: "/api/messages/:id/forward",
  operationId: "forwardMessage",
  summary: "Forward a mail with its attachments.",
  body: { schema: forwardFieldsSchema, required: ["to"], bytesMax: contentBodyBytesMax },
  successes: [{ status: 200, description: "The sent message.", schema: messageSchema }],
  respond: async (call) => {
    const fields = decodeBody(forwardFieldsSchema, call.body, readForwardRecipients);
    const repeatKey = repeatKeyOf(call.headers);
    return messageResponse(await forwardMessage(call.context, call.principal, { id: call.id, fields, repeatKey }));
  },
};

import { readReleaseRecipients, releaseMessage } from "../../../operations/messages/release-message.ts";
import { messageResponse } from "../../wire/message-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { releaseRequestSchema, repeatKeyOf } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { composing } from "./composing.ts";

/** `POST /api/messages/:id/release`: sends a mail as it was received. */
export const releaseMessageRoute: KeyRoute = {
  ...composing,
  path: "/api/messages/:id/release",
  operationId: "releaseMessage",
  summary: "Send a mail as it was received to verified recipients.",
  body: { schema: releaseRequestSchema, required: ["to"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The sent message.", schema: messageSchema }],
  respond: async (call) => {
    const { to = [] } = decodeBody(releaseRequestSchema, call.body, readReleaseRecipients);
    const repeatKey = repeatKeyOf(call.headers);
    return messageResponse(await releaseMessage(call.context, call.principal, { id: call.id, to, repeatKey }));
  },
};

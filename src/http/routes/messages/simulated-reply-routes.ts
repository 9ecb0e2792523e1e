/**
 * Simulated bounces, complaints and automatic replies: `POST /api/messages/:id/bounce`, `/complaint` and `/autoreply`.
 */
import {
  autoreplyToMessage,
  bounceMessage,
  checkReport,
  complainAboutMessage,
} from "../../../operations/messages/simulate-replies.ts";
import { messageResponse } from "../../wire/message-json.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { autoreplyFieldsSchema, bounceFieldsSchema, complaintFieldsSchema } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../../core/message.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

const shared = {
  method: "POST",
  access: "key",
  permission: "send",
  successes: [{ status: 200, description: "The sent message.", schema: messageSchema }],
  problems: [
    "invalid_request",
    "not_found",
    "message_too_large",
    "too_many_requests",
    "limit_reached",
    "storage_full",
    "quota_exceeded",
  ],
} as const satisfies Partial<KeyRoute>;

/** Routes that send a simulated reply to the return path of a mail. */
export const answerRoutes: readonly KeyRoute[] = [
  {
    ...shared,
    path: "/api/messages/:id/bounce",
    operationId: "bounceMessage",
    summary: "Reply to a mail with a delivery status notification.",
    body: { schema: bounceFieldsSchema, bytesMax: jsonBodyBytesMax },
    respond: async (call) => {
      const fields = decodeBody(bounceFieldsSchema, call.body, (partial, wrong) =>
        // Which status is valid depends on the action.
        wrong.has("action") ? undefined : checkReport(partial),
      );
      return messageResponse(await bounceMessage(call.context, call.principal, { id: call.id, fields }));
    },
  },
  {
    ...shared,
    path: "/api/messages/:id/complaint",
    operationId: "complainAboutMessage",
    summary: "Reply to a mail with a complaint of its recipient.",
    body: { schema: complaintFieldsSchema, bytesMax: jsonBodyBytesMax },
    respond: async (call) => {
      const fields = decodeBody(complaintFieldsSchema, call.body);
      return messageResponse(await complainAboutMessage(call.context, call.principal, { id: call.id, fields }));
    },
  },
  {
    ...shared,
    path: "/api/messages/:id/autoreply",
    operationId: "autoreplyToMessage",
    summary: "Reply to a mail with an out-of-office message.",
    body: { schema: autoreplyFieldsSchema, bytesMax: jsonBodyBytesMax },
    respond: async (call) => {
      const fields = decodeBody(autoreplyFieldsSchema, call.body);
      return messageResponse(await autoreplyToMessage(call.context, call.principal, { id: call.id, fields }));
    },
  },
];

import { jsonBodyBytesMax, type KeyRoute, withSignal } from "../../route.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { checkEmailFields, createEmail, type EmailFields } from "../../../operations/messages/create-email.ts";
import { messageResponse } from "../../wire/message-json.ts";
import { serverParameter } from "../../lists/page-request.ts";
import {
  contentBodyBytesMax,
  emailFieldsSchema,
  forwardFieldsSchema,
  releaseRequestSchema,
  repeatKeyOf,
  replyFieldsSchema,
  unsubscribeRequestSchema,
} from "../../wire/compose-schema.ts";
import { unsubscribeReportSchema } from "../../../core/unsubscribe.ts";
import { messageSchema } from "../../../core/message.ts";
import { requireServer } from "../../wire/page-query.ts";
import { transcribe } from "../../request-resources.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import {
  checkReplyFields,
  forwardMessage,
  readForwardRecipients,
  readReleaseRecipients,
  releaseMessage,
  replyToMessage,
} from "../../../operations/messages/reply-to-message.ts";
import { decodeMessageId, parseMessageId } from "../../../core/ids.ts";
import type { UnsubscribeReport } from "../../../core/unsubscribe.ts";
import { unsubscribeMessage } from "../../../operations/messages/unsubscribe-message.ts";
import { auditedAct } from "../../audit.ts";
import { type HttpResponse, jsonResponse } from "../../http-response.ts";

/** `POST /api/messages/:id/unsubscribe`: the one-click unsubscribe request of a mail (RFC 8058). */
export const unsubscribeMessageRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/:id/unsubscribe",
  operationId: "unsubscribeMessage",
  summary: "Unsubscribe with one click as mailbox providers do, and judge the response.",
  access: "key",
  permission: "send",
  audit: (call, response) => {
    const id = parseMessageId(call.id);
    const server = id === undefined ? null : decodeMessageId(id).server;
    return auditedAct("message.unsubscribe", { target: call.id, server, details: detailsOf(response) });
  },
  body: { schema: unsubscribeRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The checks and their results.", schema: unsubscribeReportSchema }],
  problems: ["invalid_request", "not_found", "too_many_requests"],
  respond: async (call) => {
    const request = decodeBody(unsubscribeRequestSchema, call.body);
    return jsonResponse(await unsubscribeMessage(withSignal(call), call.principal, { ...request, id: call.id }));
  },
};

function detailsOf({ body }: HttpResponse): { readonly ok: boolean; readonly sent: boolean } {
  const { ok, checks } = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as UnsubscribeReport;
  return { ok, sent: checks.some(({ name, result }) => name === "response" && result !== "skipped") };
}

/** Members of all routes that compose a mail from content of the request. */
export const composing: Pick<KeyRoute, "method" | "access" | "permission" | "problems"> = {
  method: "POST",
  access: "key",
  permission: "send",
  problems: [
    "invalid_request",
    "not_found",
    "conflict",
    "message_too_large",
    "too_many_requests",
    "limit_reached",
    "storage_full",
    "quota_exceeded",
  ],
};

/** `POST /api/messages`: creates a mail in a server, or sends it from there; an empty body creates a sample. */
export const createEmailRoute: KeyRoute = {
  ...composing,
  path: "/api/messages",
  operationId: "createEmail",
  summary: "Create a mail in a server, and optionally send it.",
  query: [serverParameter],
  body: { schema: emailFieldsSchema, bytesMax: contentBodyBytesMax },
  successes: [{ status: 200, description: "The stored message.", schema: messageSchema }],
  respond: async (call) => {
    const errors = new FieldCollector();
    const check = (partial: EmailFields): void => {
      checkEmailFields(call.context, partial);
    };
    const server = errors.collect(() => requireServer(call.query)) ?? "";
    const fields = errors.collect(() => decodeBody(emailFieldsSchema, call.body, check)) ?? {};
    if (server === "") errors.collectOthers(() => check(fields));
    errors.finish();
    const repeatKey = repeatKeyOf(call.headers);
    const { target, body } = call;
    const transcript = transcribe(call, { method: "POST", target, body, key: null, status: 200 });
    const request = { server, fields, repeatKey, transcript };
    return messageResponse(await createEmail(call.context, call.principal, request));
  },
};

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

import { keyRoute } from "../rows.ts";
import { contentBodyBytesMax, type KeyCall, type KeyRoute, withSignal } from "../../route.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { checkEmailFields, createEmail } from "../../../operations/messages/create-email.ts";
import { messageResponse } from "../../wire/message-json.ts";
import { serverParameter } from "../../lists/page-request.ts";
import {
  emailFieldsSchema,
  forwardFieldsSchema,
  replyFieldsSchema,
} from "../../../operations/services/sending/new-mail.ts";
import { unsubscribeReportSchema } from "../../../core/unsubscribe.ts";
import { messageSchema } from "../../../core/message.ts";
import { requireServer } from "../../wire/page-query.ts";
import { transcribe } from "../../request-resources.ts";
import {
  checkReplyFields,
  forwardMessage,
  readForwardRecipients,
  readReleaseRecipients,
  releaseMessage,
  replyToMessage,
} from "../../../operations/messages/reply-to-message.ts";
import type { UnsubscribeReport } from "../../../core/unsubscribe.ts";
import { unsubscribeMessage, unsubscribeRequestSchema } from "../../../operations/messages/unsubscribe-message.ts";
import { auditedAct, serverOfMessage } from "../../audit.ts";
import type { HttpResponse } from "../../http-response.ts";

import {
  autoreplyFieldsSchema,
  autoreplyToMessage,
  bounceFieldsSchema,
  bounceMessage,
  checkReport,
  complainAboutMessage,
  complaintFieldsSchema,
} from "../../../operations/messages/simulate-replies.ts";
import { build } from "../../../core/schema.ts";
import { emailAddress } from "../../../core/text-schemas.ts";

/** Returns the value of a request's `Idempotency-Key`; null when it has none. */
function repeatKeyOf(headers: KeyCall["headers"]): string | null {
  const value = headers["idempotency-key"];
  return typeof value === "string" ? value : null;
}

const releaseRequestSchema = build.partial({
  to: build.array(emailAddress(), { minItems: 1, maxItems: 20, description: "One to 20 plain addresses." }),
});

/** Returns the details of an unsubscribe request for the audit log. */
function detailsOf({ body }: HttpResponse): { readonly ok: boolean; readonly sent: boolean } {
  const { ok, checks } = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as UnsubscribeReport;
  return { ok, sent: checks.some(({ name, result }) => name === "response" && result !== "skipped") };
}

/** Members of all routes that reply to the sender of a mail. */
const answering = {
  permission: "send",
  returns: ["The sent message.", messageSchema],
  problems: ["message_too_large", "too_many_requests", "limit_reached", "quota_exceeded"],
} as const;

/** Members of all routes that compose a mail from content of the request. */
const composing = { ...answering, problems: ["conflict", ...answering.problems] } as const;

/** Routes that create, send, forward and answer messages. An empty body of `POST /api/messages` creates a sample. */
export const composingRoutes: readonly KeyRoute[] = [
  keyRoute("createEmail", "POST /api/messages", {
    ...composing,
    summary: "Create a mail in a server, and optionally send it.",
    query: [serverParameter],
    body: emailFieldsSchema,
    bytesMax: contentBodyBytesMax,
    check: (partial, _wrong, { context }) => {
      checkEmailFields(context, partial);
    },
    returns: ["The stored message.", messageSchema],
    respond: async (call, decode) => {
      const errors = new FieldCollector();
      const server = errors.collect(() => requireServer(call.query)) ?? "";
      const fields = errors.collect(decode) ?? {};
      if (server === "") {
        errors.collectOthers(() => {
          checkEmailFields(call.context, fields);
        });
      }
      errors.finish();
      const repeatKey = repeatKeyOf(call.headers);
      const { target, body } = call;
      const transcript = transcribe(call, { method: "POST", target, body, key: null, status: 200 });
      const request = { server, fields, repeatKey, transcript };
      return messageResponse(await createEmail(call.context, call.principal, request));
    },
  }),
  keyRoute("forwardMessage", "POST /api/messages/:id/forward", {
    ...composing,
    summary: "Forward a mail with its attachments.",
    body: forwardFieldsSchema,
    required: ["to"],
    bytesMax: contentBodyBytesMax,
    check: readForwardRecipients,
    respond: async ({ context, principal, id, headers }, decode) => {
      const request = { id, fields: decode(), repeatKey: repeatKeyOf(headers) };
      return messageResponse(await forwardMessage(context, principal, request));
    },
  }),
  keyRoute("releaseMessage", "POST /api/messages/:id/release", {
    ...composing,
    summary: "Send a mail as it was received to verified recipients.",
    body: releaseRequestSchema,
    required: ["to"],
    check: readReleaseRecipients,
    respond: async ({ context, principal, id, headers }, decode) => {
      const { to = [] } = decode();
      return messageResponse(await releaseMessage(context, principal, { id, to, repeatKey: repeatKeyOf(headers) }));
    },
  }),
  keyRoute("replyToMessage", "POST /api/messages/:id/reply", {
    ...composing,
    summary: "Reply to a message.",
    body: replyFieldsSchema,
    bytesMax: contentBodyBytesMax,
    check: (partial, _wrong, { context }) => {
      checkReplyFields(context, partial);
    },
    respond: async ({ context, principal, id, headers }, decode) => {
      const request = { id, fields: decode(), repeatKey: repeatKeyOf(headers) };
      return messageResponse(await replyToMessage(context, principal, request));
    },
  }),
  {
    ...keyRoute("unsubscribeMessage", "POST /api/messages/:id/unsubscribe", {
      summary: "Unsubscribe with one click as mailbox providers do, and judge the response.",
      permission: "send",
      body: unsubscribeRequestSchema,
      audit: ({ id }, response) =>
        auditedAct("message.unsubscribe", { target: id, server: serverOfMessage(id), details: detailsOf(response) }),
      returns: ["The checks and their results.", unsubscribeReportSchema],
      run: async (call, request) => unsubscribeMessage(withSignal(call), call.principal, { ...request, id: call.id }),
    }),
    // It stores nothing, and so is never without room.
    problems: ["invalid_request", "not_found", "too_many_requests"],
  },
  keyRoute("bounceMessage", "POST /api/messages/:id/bounce", {
    ...answering,
    summary: "Reply to a mail with a delivery status notification.",
    body: bounceFieldsSchema,
    // Which status is valid depends on the action.
    check: (partial, wrong) => (wrong.has("action") ? undefined : checkReport(partial)),
    respond: async ({ context, principal, id }, decode) =>
      messageResponse(await bounceMessage(context, principal, { id, fields: decode() })),
  }),
  keyRoute("complainAboutMessage", "POST /api/messages/:id/complaint", {
    ...answering,
    summary: "Reply to a mail with a complaint of its recipient.",
    body: complaintFieldsSchema,
    respond: async ({ context, principal, id }, decode) =>
      messageResponse(await complainAboutMessage(context, principal, { id, fields: decode() })),
  }),
  keyRoute("autoreplyToMessage", "POST /api/messages/:id/autoreply", {
    ...answering,
    summary: "Reply to a mail with an out-of-office message.",
    body: autoreplyFieldsSchema,
    respond: async ({ context, principal, id }, decode) =>
      messageResponse(await autoreplyToMessage(context, principal, { id, fields: decode() })),
  }),
];

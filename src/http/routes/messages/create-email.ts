import { FieldCollector } from "../../../core/field-collector.ts";
import { checkEmailFields, createEmail, type EmailFields } from "../../../operations/messages/create-email.ts";
import { messageResponse } from "../../wire/message-response.ts";
import { serverParameter } from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";
import { contentBodyBytesMax, emailFieldsSchema, repeatKeyOf } from "../../wire/compose-schema.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { requireServer } from "../../wire/page-query.ts";
import { transcribe } from "../../request-transcript.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { composing } from "./composing.ts";

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

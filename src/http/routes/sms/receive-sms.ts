import { requireAccount } from "../../../operations/services/security/access.ts";
import { getMessage } from "../../../operations/messages/get-message.ts";
import { decodeSms, receiveSms, type SmsArrival } from "../../../operations/sms/receive-sms.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { transcribe } from "../../request-transcript.ts";
import { parseInstant } from "../../wire/date.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { smsRequestSchema } from "../../wire/sms-schema.ts";

/** `POST /api/sms`: receives an SMS, independent of any provider. */
export const receiveSmsRoute: KeyRoute = {
  method: "POST",
  path: "/api/sms",
  operationId: "receiveSms",
  summary: "Receive an SMS in the server of its number.",
  access: "account",
  permission: "send",
  body: { schema: smsRequestSchema, required: ["from", "to"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The stored message.", schema: messageSchema }],
  problems: ["invalid_request", "recipient_unknown", "limit_reached", "storage_full", "quota_exceeded"],
  respond: async (call) => {
    requireAccount(call.principal);
    const fields = decodeBody(smsRequestSchema, call.body, (partial) => {
      decodeSms(call.context, arrivalOf(partial));
    });
    const { target, body } = call;
    const request = transcribe(call, { method: "POST", target, body, key: null, status: 200 });
    const transcript = request.encode({ count: 1, isOwn: true, hits: [] });
    const id = await receiveSms(call.context, { ...arrivalOf(fields), server: null, transcript });
    return jsonResponse(await getMessage(call.context, call.principal, id));
  },
};

function arrivalOf({
  from = "",
  to = "",
  text = "",
  received,
}: {
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly received?: string;
}): Pick<SmsArrival, "from" | "to" | "text" | "receivedAt"> {
  return { from, to, text, receivedAt: received === undefined ? null : (parseInstant(received) ?? Number.NaN) };
}

/** Events about SMS: https://developers.mailersend.com/api/v1/sms-webhooks */
import type { SmsEvent, SmsEvents } from "../callbacks.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import { instantText } from "./response.ts";
import { idOfNumber, idOfRecipient, smsJson } from "./sms-json.ts";
import { idOfWebhook, signedRequest } from "./webhook-request.ts";

/** Names by which webhooks select events about SMS; the last one never happens here. */
export const smsEventNames: readonly string[] = ["sms.sent", "sms.delivered", "sms.failed"];

/** Events about SMS, which only webhooks for SMS receive. */
export const mailerSendSmsEvents: SmsEvents = {
  types: ["sent", "delivered"],
  isReported: () => false,
  nameOf: ({ type }) => `sms.${type}`,
  render: (event, signing) =>
    signedRequest(
      {
        type: `sms.${event.type}`,
        sms_number_id: idOfNumber(event.sms.from),
        created_at: instantText(event.at),
        sms_webhook_id: idOfWebhook(signing.target),
        url: signing.url,
        data: dataOf(event),
      },
      signing,
    ),
};

function dataOf({ type: status, at, sms }: SmsEvent): JsonObject {
  const { from, to, text } = sms;
  const id = digitsOfUuid(sms.id);
  const created = instantText(at);
  const recipient = { id: idOfRecipient(to), number: to, status: "active", created_at: created };
  const own = { ...smsJson({ id, from, to, text, status }), created_at: created, recipient };
  return { from, to, created_at: created, status, sms_message_id: id, sms: own };
}

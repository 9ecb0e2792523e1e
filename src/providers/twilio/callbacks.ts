import type { FormFields } from "../../core/read-form.ts";
import { writeForm } from "../formats/form.ts";
import type { WebhookRequest } from "../sms.ts";
import { apiVersion, inChannel, type TwilioMessage, type TwilioStatus } from "./message.ts";
import { signTwilioRequest } from "./signature.ts";

/** Statuses that are reported for a delivered message, in order. */
const statuses: readonly TwilioStatus[] = ["queued", "sent", "delivered"];

/** Returns the signed requests that report the progress of a message to `url`, in order. */
export function twilioStatusCalls(message: TwilioMessage, url: string, token: string): readonly WebhookRequest[] {
  return statuses.map((status) => {
    const form = twilioStatusCallback({ ...message, status });
    return { body: writeForm(form), headers: { "x-twilio-signature": signTwilioRequest({ url, form }, token) } };
  });
}

/** Returns the form of one status callback. */
export function twilioStatusCallback(message: TwilioMessage): FormFields {
  return [
    ["SmsSid", message.sid],
    ["SmsStatus", message.status],
    ["MessageStatus", message.status],
    ["To", inChannel(message.channel, message.to)],
    ["MessageSid", message.sid],
    ["AccountSid", message.accountSid],
    ["From", inChannel(message.channel, message.from)],
    ["ApiVersion", apiVersion],
    ...(message.messagingServiceSid === null ? [] : [["MessagingServiceSid", message.messagingServiceSid] as const]),
  ];
}

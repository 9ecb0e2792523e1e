import { createHash } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import { countSegments } from "../../core/sms.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf, writeForm } from "../formats/form.ts";
import type { InboundWebhook, WebhookSigning } from "../provider.ts";
import type { DeliveredSms, InboundSms, WebhookRequest } from "../sms.ts";
import { apiVersion, twilioSid, type TwilioMessage } from "./message.ts";
import { signTwilioRequest, verifyTwilioRequest } from "./signature.ts";

/** TwiML without instructions. */
const emptyTwiml = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** Inbound webhook in the format of Twilio, with `X-Twilio-Signature`. */
export const twilioInbound: InboundWebhook = {
  methods: ["POST"],
  read: ({ fields }) => readTwilioInbound(fields),
  isSigned: ({ headers, url, form }, secret) => {
    const signature = headers["x-twilio-signature"];
    return typeof signature === "string" && verifyTwilioRequest({ url, form }, signature, secret);
  },
  accepted: {
    status: 200,
    description: "Empty TwiML.",
    body: { contentType: "text/xml; charset=utf-8", text: emptyTwiml },
  },
};

/** Decodes the form of an inbound webhook. Throws `invalid_request` that names the missing field. */
export function readTwilioInbound(form: FormFields): InboundSms {
  const from = fieldOf(form, "From");
  const to = fieldOf(form, "To");
  if (from === undefined) throw invalidField("From", "An inbound message must have a sender", "required");
  if (to === undefined) throw invalidField("To", "An inbound message must have a recipient", "required");
  const providerId = fieldOf(form, "MessageSid") ?? fieldOf(form, "SmsSid") ?? null;
  return { from, to, text: fieldOf(form, "Body") ?? "", providerId };
}

/** Returns the request by which Twilio would deliver an SMS to the application, signed where there is a secret. */
export function deliverByTwilio(
  { id, server, from, to, text }: DeliveredSms,
  { url, secret }: WebhookSigning,
): WebhookRequest {
  const form = writeTwilioInbound({ sid: twilioSid("SM", id), accountSid: accountSidOf(server), from, to, text });
  const signature = secret === null ? null : signTwilioRequest({ url, form }, secret);
  return { body: writeForm(form), headers: signature === null ? {} : { "x-twilio-signature": signature } };
}

/** Returns the form of an inbound webhook as the application receives it from Twilio. */
export function writeTwilioInbound(
  message: Pick<TwilioMessage, "sid" | "accountSid" | "from" | "to" | "text">,
): FormFields {
  return [
    ["ToCountry", ""],
    ["SmsMessageSid", message.sid],
    ["NumMedia", "0"],
    ["SmsSid", message.sid],
    ["SmsStatus", "received"],
    ["Body", message.text],
    ["To", message.to],
    ["NumSegments", String(countSegments(message.text).segments)],
    ["MessageSid", message.sid],
    ["AccountSid", message.accountSid],
    ["From", message.from],
    ["ApiVersion", apiVersion],
  ];
}

/** Returns the account SID that represents a server. */
function accountSidOf(server: string): string {
  return `AC${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}

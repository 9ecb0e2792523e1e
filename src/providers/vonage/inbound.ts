import { invalidField } from "../../core/errors.ts";
import { countSegments } from "../../core/sms.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf, writeForm } from "../formats/form.ts";
import type { InboundWebhook, WebhookSigning } from "../provider.ts";
import type { DeliveredSms, InboundSms, WebhookRequest } from "../sms.ts";
import { timestampOf, withoutPlus, withPlus, type VonageMessage } from "./message.ts";
import { verifyVonage, withVonageSignature } from "./signature.ts";

/** Inbound webhook in the format of Vonage, with the parameter `sig`. */
export const vonageInbound: InboundWebhook = {
  methods: ["GET", "POST"],
  read: ({ fields }) => readVonageInbound(fields),
  isSigned: ({ fields }, secret, now) => verifyVonage(fields, secret, now),
  accepted: { status: 204, description: "Stored.", body: null },
};

/** Decodes the parameters of an inbound webhook. Throws `invalid_request` that names the missing parameter. */
export function readVonageInbound(fields: FormFields): InboundSms {
  const from = fieldOf(fields, "msisdn");
  const to = fieldOf(fields, "to");
  if (from === undefined) throw invalidField("msisdn", "An inbound message must have a sender", "required");
  if (to === undefined) throw invalidField("to", "An inbound message must have a recipient", "required");
  const providerId = fieldOf(fields, "messageId") ?? null;
  return {
    from: withPlus(from),
    to: withPlus(to),
    text: fieldOf(fields, "text") ?? "",
    providerId,
  };
}

/** Returns the request by which Vonage would deliver an SMS to the application, signed where there is a secret. */
export function deliverByVonage(
  { id, server, from, to, text }: DeliveredSms,
  { secret, now }: WebhookSigning,
): WebhookRequest {
  const form = writeVonageInbound({ id, from, to, text, apiKey: server, createdAt: now, clientRef: null });
  return { body: writeForm(secret === null ? form : withVonageSignature(form, secret, now)), headers: {} };
}

/** Returns the parameters of an inbound webhook as the application receives them from Vonage, unsigned. */
export function writeVonageInbound(message: VonageMessage): FormFields {
  const { encoding } = countSegments(message.text);
  return [
    ["api-key", message.apiKey],
    ["msisdn", withoutPlus(message.from)],
    ["to", withoutPlus(message.to)],
    ["messageId", message.id],
    ["text", message.text],
    ["type", encoding === "GSM-7" ? "text" : "unicode"],
    ["keyword", (message.text.trim().split(/\s/, 1)[0] ?? "").toUpperCase()],
    ["message-timestamp", timestampOf(message.createdAt)],
  ];
}

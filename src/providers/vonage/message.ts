/** Messages as Vonage's SMS API represents them, in responses and delivery receipts. */
import type { FormFields } from "../../core/read-form.ts";
import { countSegments } from "../../core/sms.ts";
import { createHmac } from "node:crypto";
import { fieldOf, writeForm } from "../formats/form.ts";
import { isSameText } from "../formats/callback-values.ts";
import { invalidField } from "../../core/errors.ts";
import type { InboundWebhook, WebhookSigning } from "../provider.ts";
import type { DeliveredSms, InboundSms, WebhookRequest } from "../sms.ts";

/** Message as Vonage's SMS API represents it. */
export interface VonageMessage {
  readonly id: string;
  readonly apiKey: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Reference of the application; null without one. */
  readonly clientRef: string | null;
}

/** Returns a number in E.164, which Vonage writes without `+`; names and short codes are returned unchanged. */
export function withPlus(text: string): string {
  return /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

/** Returns a number as Vonage writes it. */
export function withoutPlus(number: string): string {
  return number.replace(/^\+/, "");
}

/** Returns `2026-11-20 10:42:07`, in UTC, for milliseconds since the Unix epoch. */
function timestampOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the parameters of a delivery receipt; `deliveredAt` in milliseconds since the Unix epoch. */
export function vonageReceipt(message: VonageMessage, deliveredAt: number): FormFields {
  return [
    ["msisdn", withoutPlus(message.to)],
    ["to", withoutPlus(message.from)],
    ["network-code", "00000"],
    ["messageId", message.id],
    ["price", "0.00000000"],
    ["status", "delivered"],
    ["scts", timestampOf(deliveredAt).replaceAll(/\D/g, "").slice(2, 12)],
    ["err-code", "0"],
    ["api-key", message.apiKey],
    ...(message.clientRef === null ? [] : [["client-ref", message.clientRef] as const]),
    ["message-timestamp", timestampOf(deliveredAt)],
  ];
}

/** Returns the JSON of a successful send request: one entry for each segment. */
export function vonageSendResponse(message: VonageMessage): Readonly<Record<string, unknown>> {
  const { segments } = countSegments(message.text);
  const entry = (index: number): Readonly<Record<string, string>> => ({
    to: withoutPlus(message.to),
    "message-id": index === 0 ? message.id : `${message.id}-${index + 1}`,
    status: "0",
    "remaining-balance": "0.00000000",
    "message-price": "0.00000000",
    network: "00000",
    ...(message.clientRef !== null && { "client-ref": message.clientRef }),
  });
  const messages = Array.from({ length: segments }, (_, index) => entry(index));
  return { "message-count": String(segments), messages };
}

/** Hash function that the owner of the account chose. */
type VonageHash = "sha256" | "sha512";

/** Largest difference between a signed request's `timestamp` and the clock; bounds replays. */
export const vonageClockSkewMsMax: number = 5 * 60_000;

/** Returns the upper-case hex HMAC of all parameters but `sig`, sorted by name, with `&` and `=` in values as `_`. */
export function signVonage(fields: FormFields, secret: string, hash: VonageHash = "sha256"): string {
  const signed = fields
    .filter(([name]) => name !== "sig")
    .toSorted(([a], [b]) => Number(a > b) - Number(a < b))
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, "_")}`)
    .join("");
  return createHmac(hash, secret).update(signed).digest("hex").toUpperCase();
}

/** Returns the parameters with `timestamp` (seconds) and `sig`; `now` in milliseconds since the Unix epoch. */
export function withVonageSignature(fields: FormFields, secret: string, now: number): FormFields {
  const stamped = [...fields, ["timestamp", String(Math.floor(now / 1000))] as const];
  return [...stamped, ["sig", signVonage(stamped, secret)]];
}

/**
 * Returns whether `sig` is the signature of the parameters and their `timestamp` is close to `now` (milliseconds since the
 * Unix epoch); ignores letter case and compares in constant time. Refuses repeated parameters: two parsers could disagree
 * on their value.
 */
export function verifyVonage(fields: FormFields, secret: string, now: number): boolean {
  const names = fields.map(([name]) => name);
  const given = (fieldOf(fields, "sig") ?? "").toUpperCase();
  const hash: VonageHash = given.length === 128 ? "sha512" : "sha256";
  const matches = isSameText(given, signVonage(fields, secret, hash));
  const timestamp = fieldOf(fields, "timestamp") ?? "";
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - now) <= vonageClockSkewMsMax;
  return matches && isRecent && new Set(names).size === names.length;
}

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

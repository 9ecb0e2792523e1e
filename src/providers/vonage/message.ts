/** Messages as Vonage's SMS API represents them, in responses and delivery receipts. */
import type { FormFields } from "../../core/read-form.ts";
import { countSegments } from "../../core/sms.ts";

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
export function timestampOf(instant: number): string {
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

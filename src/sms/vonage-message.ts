/** Shapes of Vonage's SMS API: the webhook that brings a text in, the send request, its answer, its receipts. */
import { invalidField } from "../core/errors.ts";
import { parsePhoneNumber, parseSmsSender, type PhoneNumber } from "../core/phone-number.ts";
import { countSegments } from "../core/sms.ts";
import { fieldOf, type FormFields } from "./form.ts";
import { isWebUrl, textLengthMax, type InboundText } from "./text-message.ts";

/** Status codes of a send answer that we give. */
export type VonageStatus = "0" | "1" | "2" | "3" | "4" | "5" | "14" | "15";

/** A refusal: always HTTP 200, the code tells. */
export interface VonageError {
  readonly status: VonageStatus;
  readonly text: string;
}

/** Reads the parameters of an inbound webhook. Throws `invalid_request` naming the parameter that is missing. */
export function readVonageInbound(fields: FormFields): InboundText {
  const from = fieldOf(fields, "msisdn");
  const to = fieldOf(fields, "to");
  if (from === undefined) throw invalidField("msisdn", "An inbound message has a sender", "required");
  if (to === undefined) throw invalidField("to", "An inbound message has a recipient", "required");
  const providerId = fieldOf(fields, "messageId") ?? null;
  return {
    from: internationalNumber(from),
    to: internationalNumber(to),
    text: fieldOf(fields, "text") ?? "",
    providerId,
  };
}

/** A text in Vonage's terms. */
export interface VonageMessage {
  readonly id: string;
  readonly apiKey: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** The parameters of an inbound webhook, as the application under test would get them; to be signed. */
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
    ["message-timestamp", timestamp(message.createdAt)],
  ];
}

/** A send request that has all it needs. */
export interface VonageSendRequest {
  readonly apiKey: string;
  /** Null where the request is signed instead. */
  readonly apiSecret: string | null;
  readonly to: PhoneNumber;
  readonly from: string;
  readonly text: string;
  /** Where receipts go, http or https; null for the account's own. */
  readonly callback: string | null;
}

/** What was read, or the error that Vonage would answer. */
export type VonageReading =
  | { readonly request: VonageSendRequest; readonly error?: undefined }
  | { readonly request?: undefined; readonly error: VonageError };

const requiredParameters = ["api_key", "from", "to", "text"] as const;

/** Reads the parameters of `/sms/json`; the first thing that is wrong with them counts. */
export function readVonageSend(fields: FormFields): VonageReading {
  const missing = requiredParameters.find((name) => fieldOf(fields, name) === undefined);
  if (missing !== undefined) return refused("2", `Missing ${missing}`);
  const [apiKey, fromText, toText, text] = requiredParameters.map((name) => fieldOf(fields, name) ?? "") as [
    string,
    string,
    string,
    string,
  ];
  const to = parsePhoneNumber(internationalNumber(toText));
  const from = parseSmsSender(internationalNumber(fromText)) ?? parseSmsSender(fromText);
  const callback = fieldOf(fields, "callback") ?? null;
  if (to === undefined) return refused("3", "Invalid to address");
  if (from === undefined) return refused("15", "Invalid sender address");
  if (text.length > textLengthMax) return refused("3", "Invalid text: too long");
  if (callback !== null && !isWebUrl(callback)) return refused("3", "Invalid callback");
  const apiSecret = fieldOf(fields, "api_secret") ?? null;
  return { request: { apiKey, apiSecret, to, from: from.value, text, callback } };
}

function refused(status: VonageStatus, text: string): { readonly error: VonageError } {
  return { error: { status, text } };
}

/** The JSON that a send request is answered with: an entry for each segment. */
export function vonageSendAnswer(message: VonageMessage): Readonly<Record<string, unknown>> {
  const { segments } = countSegments(message.text);
  const entry = (index: number): Readonly<Record<string, string>> => ({
    to: withoutPlus(message.to),
    "message-id": index === 0 ? message.id : `${message.id}-${index + 1}`,
    status: "0",
    "remaining-balance": "0.00000000",
    "message-price": "0.00000000",
    network: "00000",
  });
  const messages = Array.from({ length: segments }, (_, index) => entry(index));
  return { "message-count": String(segments), messages };
}

/** The JSON of a refusal. */
export function vonageErrorAnswer(error: VonageError): Readonly<Record<string, unknown>> {
  return { "message-count": "1", messages: [{ status: error.status, "error-text": error.text }] };
}

/** The parameters of a delivery receipt; `deliveredAt` in milliseconds since the Unix epoch. */
export function vonageReceipt(message: VonageMessage, deliveredAt: number): FormFields {
  return [
    ["msisdn", withoutPlus(message.to)],
    ["to", withoutPlus(message.from)],
    ["network-code", "00000"],
    ["messageId", message.id],
    ["price", "0.00000000"],
    ["status", "delivered"],
    ["scts", timestamp(deliveredAt).replaceAll(/\D/g, "").slice(2, 12)],
    ["err-code", "0"],
    ["api-key", message.apiKey],
    ["message-timestamp", timestamp(deliveredAt)],
  ];
}

/** Vonage writes numbers without `+`; digits that begin no country's code stay what they are. */
function internationalNumber(text: string): string {
  return /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/, "");
}

/** `2026-11-20 10:42:07`, in UTC. */
function timestamp(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

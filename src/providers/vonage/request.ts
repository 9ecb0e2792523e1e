import { parsePhoneNumber, parseSmsSender, type PhoneNumber } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { isWebUrl, smsLengthMax, uninterpretedFields } from "../sms.ts";
import { rejection } from "./errors.ts";
import { withPlus } from "./message.ts";

/** Valid request to send an SMS. */
export interface VonageSendRequest {
  readonly apiKey: string;
  /** Null where the request is signed instead. */
  readonly apiSecret: string | null;
  readonly to: PhoneNumber;
  readonly from: string;
  readonly text: string;
  /** http or https URL for delivery receipts; null for none. */
  readonly callback: string | null;
  /** `client-ref`, which the response and receipts repeat; null without one. */
  readonly clientRef: string | null;
  /** Parameters that are only stored, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Parameters that are read, and those of authentication; all others are stored with the message. */
const readParameters: ReadonlySet<string> = new Set(
  "api_key api_secret sig timestamp from to text callback".split(" "),
);
const requiredParameters = ["api_key", "from", "to", "text"] as const;

/** Decodes the parameters of `/sms/json` and throws the first error. */
export function readVonageSend(fields: FormFields): VonageSendRequest {
  if (fieldOf(fields, "type") === "binary") throw rejection("4", "Binary messages are not supported");
  const missing = requiredParameters.find((name) => fieldOf(fields, name) === undefined);
  if (missing !== undefined) throw rejection("2", `Missing ${missing}`);
  const given = requiredParameters.map((name) => fieldOf(fields, name) ?? "");
  const [apiKey, fromText, toText, text] = given as [string, string, string, string];
  const to = parsePhoneNumber(withPlus(toText));
  const from = parseSmsSender(withPlus(fromText)) ?? parseSmsSender(fromText);
  const callback = fieldOf(fields, "callback") ?? null;
  if (to === undefined) throw rejection("3", "Invalid to address");
  if (from === undefined) throw rejection("15", "Invalid sender address");
  if (text.length > smsLengthMax) throw rejection("3", "Invalid text: too long");
  if (callback !== null && !isWebUrl(callback)) throw rejection("3", "Invalid callback");
  const apiSecret = fieldOf(fields, "api_secret") ?? null;
  const clientRef = fieldOf(fields, "client-ref") ?? null;
  const facts = uninterpretedFields(fields, readParameters);
  return { apiKey, apiSecret, to, from: from.value, text, callback, clientRef, facts };
}

/** SMS and phone numbers as MailerSend's API and its events show them. */
import { countSegments } from "../../core/sms.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import type { StoredSms } from "../sms.ts";

/** SMS to one number. */
interface ShownSms {
  /** Id of the message. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly status: string;
}

/** Returns the JSON of an SMS. */
export function smsJson({ id, from, to, text, status }: ShownSms): JsonObject {
  const segments = countSegments(text).segments;
  return { id, from, to, text, status, segment_count: segments, error_type: null, error_description: null };
}

/** Returns the JSON of a stored SMS, which was delivered. */
export function storedSmsJson({ id, from, to, text }: StoredSms): JsonObject {
  return smsJson({ id: digitsOfUuid(id), from, to, text, status: "delivered" });
}

/** Returns the id of a number from which an application sends. */
export function idOfNumber(number: string): string {
  return derivedHex(16, number);
}

/** Returns the id of a number to which an application sends. */
export function idOfRecipient(number: string): string {
  return derivedHex(24, number);
}

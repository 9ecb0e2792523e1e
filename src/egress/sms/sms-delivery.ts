/** Content of outbox entries for SMS. */
import type { ServerId } from "../../core/ids.ts";
import type { WebhookRequest } from "../../providers/sms.ts";

/**
 * SMS sent by a test: to the application's inbound webhook (`inbound`), or to a phone through the API of the number's
 * provider (`provider`). Uses the settings of the number at the time of the attempt.
 */
export interface SmsReply {
  readonly kind: "inbound" | "provider";
  /** Number of the server that sends the SMS, E.164. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** UUID of the sent message. */
  readonly id: string;
  readonly server: ServerId;
}

/** Requests that report the progress of an SMS to the application, in order. */
export interface SmsStatusReport {
  readonly kind: "status";
  readonly url: string;
  readonly calls: readonly WebhookRequest[];
}

/** Content of an outbox entry. */
export type SmsDelivery = SmsReply | SmsStatusReport;

/** Encodes the content for the outbox. */
export function encodeSmsDelivery(content: SmsDelivery): Uint8Array {
  return Buffer.from(JSON.stringify(content), "utf8");
}

/** Decodes what {@link encodeSmsDelivery} returned. */
export function decodeSmsDelivery(bytes: Uint8Array): SmsDelivery {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as SmsDelivery;
}

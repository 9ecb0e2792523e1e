/** SMS that leave, as the outbox and deliveries of callbacks store them. */
import type { ServerId } from "../../core/ids.ts";

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

/** Encodes the content for the outbox. */
export function encodeSmsReply(content: SmsReply): Uint8Array {
  return Buffer.from(JSON.stringify(content), "utf8");
}

/** Decodes what {@link encodeSmsReply} returned. */
export function decodeSmsReply(bytes: Uint8Array): SmsReply {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as SmsReply;
}

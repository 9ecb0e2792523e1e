/** SMS that leave, and status reports about SMS, as the outbox and deliveries of callbacks store them. */
import { randomUUID } from "node:crypto";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { WebhookRequest } from "../../providers/sms.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
import {
  encodeDeliveryContent,
  type SmsContent,
  type SmsReply,
  type StatusContent,
} from "../callbacks/delivery-content.ts";

/** Encodes the content for the outbox. */
export function encodeSmsReply(content: SmsReply): Uint8Array {
  return Buffer.from(JSON.stringify(content), "utf8");
}

/** Decodes what {@link encodeSmsReply} returned. */
export function decodeSmsReply(bytes: Uint8Array): SmsReply {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as SmsReply;
}

/** Message that a callback is about, the receiver, and the instant of its creation. */
interface SmsCallback {
  readonly message: MessageId;
  readonly url: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns the delivery of a reply to the webhook of its number. */
export function replyDelivery(callback: SmsCallback, reply: SmsReply): NewDelivery {
  const content: SmsContent = { kind: "sms", reply };
  return { ...deliveryOf(callback, content), type: "sms.inbound", deliversMessage: true };
}

/** Returns the deliveries of status reports, in order. They outlive their message. */
export function statusDeliveries(callback: SmsCallback, calls: readonly WebhookRequest[]): readonly NewDelivery[] {
  return calls.map((call) => {
    const content: StatusContent = { kind: "status", url: callback.url, call };
    return { ...deliveryOf(callback, content), type: "sms.status", deliversMessage: false };
  });
}

function deliveryOf(
  { message, url, now }: SmsCallback,
  content: SmsContent | StatusContent,
): Omit<NewDelivery, "type" | "deliversMessage"> {
  return {
    id: randomUUID(),
    server: decodeMessageId(message).server,
    target: null,
    queue: URL.parse(url)?.origin ?? url,
    message,
    content: encodeDeliveryContent(content),
    attemptsMax: null,
    dueAt: now,
    createdAt: now,
  };
}

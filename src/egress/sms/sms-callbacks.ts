/** Callbacks of SMS: to the inbound webhook of a number, and status reports to the URL that an application gave. */
import { createHash, randomUUID } from "node:crypto";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { WebhookRequest } from "../../providers/sms.ts";
import type { CallbackStore, NewDelivery } from "../../store/callback-store.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { PhoneNumberStore } from "../../store/permission-stores.ts";
import { encodeDeliveryContent, type SmsContent, type StatusContent } from "../callbacks/delivery-content.ts";
import type { SmsReply } from "./sms-delivery.ts";

/** Message that a callback is about, the receiver, and the instant of its creation. */
export interface SmsCallback {
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

/** Dependencies of {@link handOverReply}. */
export interface HandOverDependencies {
  readonly store: {
    readonly callbacks: Pick<CallbackStore, "addDeliveries">;
    readonly phoneNumbers: Pick<PhoneNumberStore, "findPhoneNumber">;
  };
}

/**
 * Hands a reply to a webhook over to the deliveries of callbacks: an outbox entry of a version that had none. The delivery
 * has the same id each time, so that repeating it does nothing.
 */
export async function handOverReply(
  { store }: HandOverDependencies,
  entry: Pick<OutboxEntry, "id" | "at">,
  reply: SmsReply,
): Promise<void> {
  const number = await store.phoneNumbers.findPhoneNumber(reply.from);
  const url = number?.webhook ?? `number:${reply.from}`;
  const delivery = replyDelivery({ message: reply.id as MessageId, url, now: entry.at }, reply);
  await store.callbacks.addDeliveries([{ ...delivery, id: deliveryIdOf(entry.id) }]);
}

/** Returns the UUID (version 8, RFC 9562 §5.8) of the delivery that replaces an outbox entry. */
function deliveryIdOf(entry: string): string {
  const hex = createHash("sha256").update(`delivery of outbox entry ${entry}`).digest("hex");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
}

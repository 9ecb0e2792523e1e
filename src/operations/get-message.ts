import type { Principal } from "../core/api-key.ts";
import type { Delivery } from "../core/delivery.ts";
import { decodeMessageId, type MessageId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import { openMessageId, orNotFound } from "./access.ts";
import { callerOf, type CallerPresence } from "./caller-of.ts";
import type { Context } from "./context.ts";
import { unreservedBytesMax, type MemoryRoom } from "./memory-room.ts";
import { decodeDetail, decodeGlance, needsRaw, showBodies, showMessage } from "./stored-detail.ts";

/** The record of a message as text and as objects, and what is written of it. */
const costPerDetailByte = 3;
/** Raw bytes, decoded bodies, and the JSON that shows them. */
const costPerRawByte = 4;

/** Dependencies of {@link getMessage}; `room` bounds the memory of messages that are shown at the same time. */
export type GetMessageContext = Pick<Context, "store" | "settings" | "bodies"> &
  CallerPresence & { readonly room?: MemoryRoom };

/** The full message, of a sent one with its delivery; rejects with `not_found`, and as `room` does. */
export async function getMessage(context: GetMessageContext, principal: Principal, idText: string): Promise<Message> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const detail = decodeDetail(bytes);
  const rawBytes = needsRaw(detail) ? (decodeGlance(bytes)?.sizeBytes ?? 0) : 0;
  const cost = costPerDetailByte * bytes.length + costPerRawByte * rawBytes;
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  const raw = needsRaw(detail) ? orNotFound(await context.store.getRaw(id), "Message") : new Uint8Array();
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const message = showMessage(detail, await showBodies(detail, raw, reading), context.settings.publicUrl());
  const delivery = decodeMessageId(id).direction === "Sent" ? await getDelivery(context, id) : undefined;
  return delivery === undefined ? message : { ...message, delivery };
}

/** How far a message that goes out has come; undefined where nothing of it leaves. */
export async function getDelivery(context: Pick<Context, "store">, id: MessageId): Promise<Delivery | undefined> {
  const state = await context.store.outbox.getDelivery(id);
  if (state === undefined) return undefined;
  const { updatedAt, ...delivery } = state;
  return { ...delivery, updated: new Date(updatedAt).toISOString() };
}

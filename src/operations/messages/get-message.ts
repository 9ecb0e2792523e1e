import type { Principal } from "../../core/api-key.ts";
import type { Delivery } from "../../core/delivery.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import type { LargeTexts } from "../services/reading/email-bodies.ts";
import { readDeliveryState } from "../../store/delivery-state.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { messageIdOfProvider } from "../services/security/provider-message-id.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { unreservedBytesMax, type MemoryReservation } from "../services/limits/memory-reservation.ts";
import {
  decodeDetail,
  decodeExcerpt,
  needsRaw,
  showBodies,
  showBodiesApart,
  showMessage,
  type StoredDetail,
} from "../services/reading/stored-detail.ts";

/** Memory per byte of a stored detail: its text, its objects and the response. */
const costPerDetailByte = 3;
/** Memory per raw byte: the raw mail, decoded bodies and the response. */
const costPerRawByte = 4;

/** Dependencies of {@link getMessage}; `room` limits the memory of messages that are loaded concurrently. */
export type GetMessageContext = Pick<Context, "store" | "settings" | "bodies"> &
  CallerPresence & { readonly room?: MemoryReservation };

/** Message with its large bodies as separate UTF-8 buffers; `body` is null in their place. */
export interface OpenedMessage {
  readonly message: Message;
  readonly texts: LargeTexts;
}

/**
 * Returns the full message, with its delivery if it was sent. `idText` is its id, or the one that a provider's response
 * carried. Rejects with `not_found`, and as `room` does.
 */
export async function getMessage(context: GetMessageContext, principal: Principal, idText: string): Promise<Message> {
  const { id, detail, raw } = await readStored(context, principal, idText);
  const bodies = await showBodies(detail, raw, { bodies: context.bodies, caller: callerOf(principal, context) });
  return withDelivery(context, id, showMessage(detail, bodies, context.settings.publicUrl()));
}

/** As {@link getMessage}, for responses that are written in chunks. */
export async function openMessage(
  context: GetMessageContext,
  principal: Principal,
  idText: string,
): Promise<OpenedMessage> {
  const { id, detail, raw } = await readStored(context, principal, idText);
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const { bodies, texts } = await showBodiesApart(detail, raw, reading);
  return { message: await withDelivery(context, id, showMessage(detail, bodies, context.settings.publicUrl())), texts };
}

interface StoredMessage {
  readonly id: MessageId;
  readonly detail: StoredDetail;
  /** Empty when it is not needed to show the message. */
  readonly raw: Uint8Array;
}

async function readStored(context: GetMessageContext, principal: Principal, idText: string): Promise<StoredMessage> {
  const id = openMessageId(principal, messageIdOfProvider(idText) ?? idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const detail = decodeDetail(bytes);
  const rawBytes = needsRaw(detail) ? decodeExcerpt(bytes).sizeBytes : 0;
  const cost = costPerDetailByte * bytes.length + costPerRawByte * rawBytes;
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  return {
    id,
    detail,
    raw: needsRaw(detail) ? orNotFound(await context.store.getRaw(id), "Message") : new Uint8Array(),
  };
}

async function withDelivery(context: GetMessageContext, id: MessageId, message: Message): Promise<Message> {
  const delivery = decodeMessageId(id).direction === "Sent" ? await getDelivery(context, id) : undefined;
  return delivery === undefined ? message : { ...message, delivery };
}

/** Returns the delivery of a sent message; undefined for messages without outbound recipients. */
export async function getDelivery(context: Pick<Context, "store">, id: MessageId): Promise<Delivery | undefined> {
  const state = await readDeliveryState(context.store, id);
  if (state === undefined) return undefined;
  const { updatedAt, ...delivery } = state;
  return { ...delivery, updated: new Date(updatedAt).toISOString() };
}

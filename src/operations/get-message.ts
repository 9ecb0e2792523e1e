import type { Principal } from "../core/api-key.ts";
import type { Delivery } from "../core/delivery.ts";
import { decodeMessageId, type MessageId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import { openMessageId, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";
import { decodeDetail, needsRaw, showMessage } from "./stored-detail.ts";

/** The full message, of a sent one with its delivery; rejects with `not_found`. */
export async function getMessage(
  context: Pick<Context, "store" | "settings">,
  principal: Principal,
  idText: string,
): Promise<Message> {
  const id = openMessageId(principal, idText);
  const detail = decodeDetail(orNotFound(await context.store.getDetail(id)));
  const raw = needsRaw(detail) ? orNotFound(await context.store.getRaw(id)) : new Uint8Array();
  const message = showMessage(detail, raw, context.settings.publicUrl());
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

import type { Store } from "../../../store/store.ts";
import type { Principal } from "../../../core/api-key.ts";
import type { Delivery } from "../../../core/delivery.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import { freeMemory } from "../../../core/process-resources.ts";
import { attachmentPosition, decodeMessageId, parseMessageId, type MessageId } from "../../../core/ids.ts";
import type { Message } from "../../../core/message.ts";
import { mainTurns } from "../../../core/shared-turns.ts";
import { readDeliveryState } from "../../../store/store-source.ts";
import type { RawContent } from "../../../store/raw-content.ts";
import type { Context } from "../../context.ts";
import type { Timing } from "../events/timings.ts";
import { unreservedBytesMax } from "../limits/mail-admission.ts";
import type { LargeTexts } from "./email-bodies.ts";
import { decodeDetail, decodeExcerpt, needsRaw, showBodies, showBodiesApart, showMessage } from "./stored-detail.ts";
import type { StoredAttachment, StoredDetail } from "./stored-detail.ts";
import { callerOf, openAttachmentId, openMessageId, openServer, orNotFound } from "../security/access.ts";
import { providers } from "../../../providers/registry.ts";

/** Memory per byte of a stored detail: its text, its objects and the response. */
const costPerDetailByte = 3;
/** Memory per raw byte: the raw mail, decoded bodies and the response. */
const costPerRawByte = 4;

/** Message with its large bodies as separate UTF-8 buffers; `body` is null in their place. */
export interface OpenedMessage {
  readonly message: Message;
  readonly texts: LargeTexts;
}

/**
 * Returns the full message, with its delivery if it was sent. `idText` is its id, or the one that a provider's response
 * carried. Rejects with `not_found`, and as `room` does.
 */
export async function getMessage(context: Context, principal: Principal, idText: string): Promise<Message> {
  const { id, detail, raw } = await readStored(context, principal, idText);
  const bodies = await showBodies(detail, raw, { bodies: context.bodies, caller: callerOf(principal, context) });
  freeMemory(raw);
  return withDelivery(context, id, showMessage(detail, bodies, context.settings.publicUrl()));
}

/** As {@link getMessage}, for responses that are written in chunks. */
export async function openMessage(context: Context, principal: Principal, idText: string): Promise<OpenedMessage> {
  const { id, detail, raw } = await readStored(context, principal, idText);
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const { bodies, texts } = await showBodiesApart(detail, raw, reading);
  freeMemory(raw);
  return { message: await withDelivery(context, id, showMessage(detail, bodies, context.settings.publicUrl())), texts };
}

interface StoredMessage {
  readonly id: MessageId;
  readonly detail: StoredDetail;
  /** May be empty when it is not needed to show the message. */
  readonly raw: Uint8Array;
}

async function readStored(context: Context, principal: Principal, idText: string): Promise<StoredMessage> {
  const id = openMessageId(principal, messageIdOfProvider(idText) ?? idText);
  const content = orNotFound(await context.store.getContent(id), "Message");
  const detail = decodeDetail(content.detail);
  const rawBytes = needsRaw(detail) ? decodeExcerpt(content.detail).sizeBytes : 0;
  const cost = costPerDetailByte * content.detail.length + costPerRawByte * rawBytes;
  freeMemory(content.detail);
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  const raw =
    content.raw ?? (needsRaw(detail) ? orNotFound(await context.store.getRaw(id), "Message") : new Uint8Array());
  return { id, detail, raw };
}

async function withDelivery(context: Context, id: MessageId, message: Message): Promise<Message> {
  const delivery = decodeMessageId(id).direction === "Sent" ? await getDelivery(context.store, id) : undefined;
  return delivery === undefined ? message : { ...message, delivery };
}

/** Returns the delivery of a sent message; undefined for messages without outbound recipients. */
export async function getDelivery(store: Store, id: MessageId): Promise<Delivery | undefined> {
  const state = await readDeliveryState(store, id);
  if (state === undefined) return undefined;
  const { updatedAt, ...delivery } = state;
  return { ...delivery, updated: new Date(updatedAt).toISOString() };
}

/** Yields the full messages in the order of `ids`, loading one at a time, without messages deleted meanwhile. */
export async function* getMessages(
  context: Context,
  principal: Principal,
  ids: readonly MessageId[],
): AsyncGenerator<Message, void> {
  for (const id of ids) {
    await mainTurns.next();
    const message = await getMessage(context, principal, id).catch(unlessDeleted);
    if (message !== null) yield message;
  }
}

/** As {@link getMessages}, with large bodies as separate buffers. */
export async function* openMessages(
  context: Context,
  principal: Principal,
  ids: readonly MessageId[],
): AsyncGenerator<OpenedMessage, void> {
  for (const id of ids) {
    await mainTurns.next();
    const opened = await openMessage(context, principal, id).catch(unlessDeleted);
    if (opened !== null) yield opened;
  }
}

function unlessDeleted(error: unknown): null {
  if (error instanceof Problem && error.code === "not_found") return null;
  throw error;
}

/** Opens the raw bytes of a mail. Rejects with `not_found`, also for SMS. */
export async function openRawMessage(context: Context, principal: Principal, idText: string): Promise<RawContent> {
  const raw = orNotFound(await context.store.openRaw(openMessageId(principal, idText)), "Message");
  if (raw.sizeBytes === 0) throw notFound("Message");
  return raw;
}

/** Returns the raw bytes of a mail. Rejects as {@link openRawMessage} does. */
export async function getRawMessage(context: Context, principal: Principal, idText: string): Promise<Uint8Array> {
  const raw = orNotFound(await context.store.getRaw(openMessageId(principal, idText)), "Message");
  if (raw.byteLength === 0) throw notFound("Message");
  return raw;
}

/** Attachment with its decoded bytes. */
interface AttachmentContent {
  readonly attachment: StoredAttachment;
  readonly bytes: Uint8Array;
}

/**
 * Returns the attachment, decoded from the raw mail, in a worker process when it is large. Rejects with
 * `not_found`, and as `room` and the body analyser do.
 */
export async function getAttachment(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<AttachmentContent> {
  const id = openAttachmentId(principal, idText);
  const message = orNotFound(await context.store.findMessageOfAttachment(id), "Attachment");
  const bytes = orNotFound(await context.store.getDetail(message), "Attachment");
  const detail = decodeDetail(bytes);
  const position = attachmentPosition(message, id);
  const attachment = orNotFound(detail.message.attachments[position], "Attachment");
  const cost = decodeExcerpt(bytes).sizeBytes + attachment.length;
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  const media = detail.media?.[position];
  if (media !== undefined) return { attachment, bytes: Buffer.from(media, "base64") };
  const raw = orNotFound(await context.store.getRaw(message), "Attachment");
  const part = orNotFound(detail.parts[position], "Attachment");
  return { attachment, bytes: await context.bodies.decode({ raw, part }, callerOf(principal, context)) };
}

/** Returns the latencies of a server's newest mails, oldest first, as measured by this process. Rejects with `not_found`. */
export async function getTimings(context: Context, principal: Principal, idText: string): Promise<readonly Timing[]> {
  const server = await openServer(context, principal, idText);
  return context.timings.newest(server.id);
}

/** Longer than the ids of all providers. */
const idLengthMax = 200;

/** Returns the id of the message whose id a provider's response carried in its own form; undefined for anything else. */
function messageIdOfProvider(id: string): MessageId | undefined {
  if (id.length > idLengthMax) return undefined;
  for (const { email, sms } of providers) {
    const found = parseMessageId((email?.uuidOf(id) ?? "") || (sms?.uuidOf(id) ?? ""));
    if (found !== undefined) return found;
  }
  return undefined;
}

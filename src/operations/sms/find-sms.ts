/** SMS read back through the API of its provider. */
import { notFound, Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { StoredSms } from "../../providers/sms.ts";
import { getMessage, type GetMessageContext } from "../messages/get-message.ts";
import type { ProviderCaller } from "../providers/provider-caller.ts";
import { scheduledContent } from "../scheduled/scheduled-content.ts";
import { mediaOf } from "./sms-media.ts";
import { openMessageId } from "../services/security/access.ts";

/**
 * Returns an SMS by the id of its message, or by the UUID under which it is or was held. Rejects with `not_found`, also for
 * messages that are no SMS, and for those of other providers when the key of the caller is not stored.
 */
export async function findSms(context: GetMessageContext, caller: ProviderCaller, uuid: string): Promise<StoredSms> {
  const id = openMessageId(caller.principal, uuid);
  const found = (await readSms(context, caller, id)) ?? (await readHeld(context, caller, id));
  // Between the two look-ups it may have arrived.
  const sms = found ?? (await readArrived(context, caller, id));
  if (sms === undefined) throw notFound("Message");
  return sms;
}

/** Returns an SMS in the form of the contract of providers. */
export function toStoredSms({ id, from, to, text, received, attachments, provider }: Message): StoredSms {
  const metadata = provider?.metadata ?? {};
  return {
    id,
    from: from[0]?.phone ?? "",
    to: to[0]?.phone ?? "",
    text: text.body ?? "",
    createdAt: Date.parse(received),
    metadata,
    media: mediaOf(metadata, attachments),
  };
}

async function readSms(
  context: GetMessageContext,
  { principal, provider, isKnown }: ProviderCaller,
  id: MessageId,
): Promise<StoredSms | undefined> {
  try {
    const message = await getMessage(context, principal, id);
    const isReadable = isKnown || message.provider?.name === provider;
    return message.type === "SMS" && isReadable ? toStoredSms(message) : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

async function readHeld(
  { store }: GetMessageContext,
  { provider }: ProviderCaller,
  id: MessageId,
): Promise<StoredSms | undefined> {
  const held = await store.scheduledMessages.getScheduledMessage(id);
  const content = held === undefined ? undefined : scheduledContent(held);
  if (held === undefined || content === undefined || !("sms" in content)) return undefined;
  const { origin, from, to, text } = content.sms;
  if (origin.name !== provider) return undefined;
  const { metadata } = origin;
  // Media has no attachment before the SMS arrives.
  const media = mediaOf(metadata, []);
  return { id, from, to, text, createdAt: held.acceptedAt ?? held.sendAt, metadata, media };
}

/** Returns the SMS that was held under this UUID and has arrived under another one. */
async function readArrived(
  context: GetMessageContext,
  caller: ProviderCaller,
  id: MessageId,
): Promise<StoredSms | undefined> {
  const { server } = decodeMessageId(id);
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  const { json } = await context.store.searchMessages(server, { match: "ALL", providerId: id }, page);
  const [summary] = JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
  const sms = summary === undefined ? undefined : await readSms(context, caller, summary.id);
  return sms === undefined ? undefined : { ...sms, id };
}

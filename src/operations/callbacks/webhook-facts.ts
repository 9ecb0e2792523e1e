/** Member `data` of the events of this service's own webhooks: facts of a message, not its content. */
import type { Delivery } from "../../core/delivery.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Contact, Message } from "../../core/message.ts";

/** Facts of a message in an event. */
export interface WebhookData {
  /** Id of the message; null when the whole server was emptied. */
  readonly id: string | null;
  readonly server: string;
  /** URL of the message in the API. */
  readonly url?: string;
  readonly direction?: string;
  readonly type?: string;
  readonly from?: readonly Contact[];
  readonly to?: readonly Contact[];
  readonly cc?: readonly Contact[];
  readonly subject?: string;
  /** ISO 8601 in UTC. */
  readonly received?: string;
  readonly provider?: { readonly name: string; readonly id: string; readonly tags: readonly string[] } | null;
  readonly delivery?: Delivery;
  /** Present when the message no longer existed when the event was made; facts beside its id are then unknown. */
  readonly deleted?: true;
}

/** Bounds that keep an event below 20 kB. */
const contactCountMax = 20;
const textLengthMax = 250;
const tagCountMax = 20;

/** Members of a message that events show. */
type ShownFacts = Pick<Message, "id" | "type" | "from" | "to" | "cc" | "subject" | "received" | "provider">;

/** Returns the facts of a message. */
export function dataOf(message: ShownFacts, publicUrl: string): WebhookData {
  const { id, type, subject, received, provider = null } = message;
  return {
    ...idsOf(id),
    url: `${publicUrl}/api/messages/${id}`,
    type,
    from: contactsOf(message.from),
    to: contactsOf(message.to),
    cc: contactsOf(message.cc),
    subject: cut(subject),
    received,
    provider:
      provider === null
        ? null
        : { name: provider.name, id: cut(provider.id), tags: provider.tags.slice(0, tagCountMax).map(cut) },
  };
}

/** Returns the facts of a message that was deleted: those in its id. */
export function deletedDataOf(id: MessageId): WebhookData {
  return { ...idsOf(id), received: new Date(decodeMessageId(id).receivedAt).toISOString(), deleted: true };
}

/** Returns the facts of a server that was emptied. */
export function emptiedDataOf(server: ServerId): WebhookData {
  return { id: null, server };
}

function idsOf(id: MessageId): Pick<WebhookData, "server" | "direction"> & { readonly id: string } {
  const { server, direction } = decodeMessageId(id);
  return { id, server, direction };
}

function contactsOf(contacts: readonly Contact[]): readonly Contact[] {
  return contacts.slice(0, contactCountMax).map(({ name, email, phone }) => ({
    name: cut(name).slice(0, 60),
    email: email === null ? null : cut(email),
    phone: phone === null ? null : cut(phone),
  }));
}

function cut(text: string): string {
  return text.slice(0, textLengthMax).toWellFormed();
}

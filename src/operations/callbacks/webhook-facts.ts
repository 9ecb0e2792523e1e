/** Member `data` of the events of this service's own webhooks: facts of a message, not its content. */
import type { Delivery } from "../../core/delivery.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Contact, Message } from "../../core/message.ts";
import type { Change } from "../../core/events.ts";
import type { CallbackRequest, NewSecrets } from "../../providers/callbacks.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import { eventMailOf, mailEvent, recipientsOf } from "./event-mail.ts";
import { signWebhook } from "../../core/standard-webhooks.ts";
import type { WebhookEvent } from "./target-settings.ts";
import { newEventId } from "./webhooks.ts";

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

/** Event of a server, as webhooks receive it. */
interface LocalEvent {
  readonly type: WebhookEvent;
  /** ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly data: WebhookData;
}

/** Facts from which the events of a change are made. */
export interface LocalChange {
  readonly change: Change;
  readonly server: ServerId;
  /** Undefined when it was deleted, or the change has none. */
  readonly message: Message | undefined;
  readonly publicUrl: string;
  readonly now: number;
}

/** Returns the events of a change, as webhooks without filters receive them. */
export function localEvents({ change, server, message, publicUrl, now }: LocalChange): readonly LocalEvent[] {
  const timestamp = new Date(now).toISOString();
  const { id, kind } = change;
  if (id === null) return [{ type: "message.deleted", timestamp, data: emptiedDataOf(server) }];
  const data = message === undefined ? deletedDataOf(id) : dataOf(message, publicUrl);
  if (kind === "deleted") return [{ type: "message.deleted", timestamp, data: deletedDataOf(id) }];
  const delivery = message?.delivery;
  const report: LocalEvent[] =
    delivery === undefined ? [] : [{ type: "message.delivery", timestamp, data: { ...data, delivery } }];
  if (kind === "failed") return report;
  const own: LocalEvent = { type: kind === "sent" ? "message.sent" : "message.received", timestamp, data };
  return kind === "sent" && delivery?.status === "Sent" ? [own, ...report] : [own];
}

/** Returns the request that delivers an event, signed by Standard Webhooks. */
export function localRequest(event: LocalEvent, { secret, now }: { secret: string; now: number }): CallbackRequest {
  const body = Buffer.from(JSON.stringify(event), "utf8");
  const headers = signWebhook({ id: newEventId(), timestamp: Math.floor(now / 1000), body }, [secret]);
  return { headers, contentType: "application/json", body };
}

/** Receiver of the events of a provider. */
interface LocalProvider {
  /** Name of the provider. */
  readonly provider: string;
  readonly url: string;
  readonly secrets: NewSecrets;
  /** Public base URL of the service. */
  readonly publicUrl: string;
  readonly now: number;
}

/** Returns new secrets for the events of a provider; undefined when it has none. */
export async function newLocalSecrets(provider: string): Promise<NewSecrets | undefined> {
  return await (await findEventWebhooks(provider))?.createSecrets({});
}

/** Returns the requests with the events that the provider reports about a received mail which came through it. */
export async function providerRequests(
  { change, message }: Pick<LocalChange, "change" | "message">,
  { provider, url, secrets, publicUrl, now }: LocalProvider,
): Promise<readonly { readonly type: string; readonly request: CallbackRequest }[]> {
  const format = await findEventWebhooks(provider);
  if (format === undefined || change.kind !== "received" || message?.provider?.name !== provider) return [];
  const { id } = message;
  const detail = { message, htmlParts: [], textParts: [], parts: [], session: null };
  const mail = eventMailOf({ id, detail, sizeBytes: 0 });
  const signing = { url, target: decodeMessageId(id).server, options: {}, secrets: secrets.secrets };
  return recipientsOf({ id, detail, sizeBytes: 0 }).flatMap((recipient) => {
    const outcomes = format.outcomeOf?.(recipient) ?? format.automatic.map((type) => ({ type, details: {} }));
    return outcomes.map(({ type, details }) => {
      const event = mailEvent(mail, { type, recipient, at: now, details });
      return { type, request: format.render([event], { ...signing, now, serviceUrl: publicUrl }) };
    });
  });
}

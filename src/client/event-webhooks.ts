import type {
  CallbackFormats,
  EventWebhook,
  PutEventWebhookRequest,
  RotateEventWebhookSecretRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Server and provider of an event webhook. */
export interface EventWebhookId {
  readonly server: string;
  readonly provider: string;
}

/** Event webhooks: events of a mail are delivered as its provider would deliver them. */
export class EventWebhooks {
  readonly #transport: Transport;

  /** Use `client.eventWebhooks`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the providers with event webhooks and the formats of inbound mail, with their settings. */
  async formats(options?: RequestOptions): Promise<CallbackFormats> {
    return this.#transport.call("getCallbackFormats", {}, options);
  }

  /** Lists the event webhooks of a server. */
  async list(server: string, options?: RequestOptions): Promise<readonly EventWebhook[]> {
    return this.#transport.call("listEventWebhooks", { path: { id: server } }, options);
  }

  /** Fetches the event webhook of a provider. */
  async get({ server, provider }: EventWebhookId, options?: RequestOptions): Promise<EventWebhook> {
    return this.#transport.call("getEventWebhook", { path: { id: server, provider } }, options);
  }

  /** Creates or changes the event webhook of a provider. */
  async put(
    { server, provider }: EventWebhookId,
    fields: PutEventWebhookRequest,
    options?: RequestOptions,
  ): Promise<EventWebhook> {
    return this.#transport.call("putEventWebhook", { path: { id: server, provider }, body: fields }, options);
  }

  /** Deletes the event webhook of a provider with its deliveries. */
  async delete({ server, provider }: EventWebhookId, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteEventWebhook", { path: { id: server, provider } }, options);
  }

  /** Replaces the secrets and keys of an event webhook. */
  async rotateSecret(
    { server, provider }: EventWebhookId,
    fields: RotateEventWebhookSecretRequest = {},
    options?: RequestOptions,
  ): Promise<EventWebhook> {
    return this.#transport.call("rotateEventWebhookSecret", { path: { id: server, provider }, body: fields }, options);
  }
}

import type {
  CallbackDelivery,
  CreateWebhookRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
  Webhook,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Id of a webhook, and of its server. */
export interface WebhookId {
  readonly server: string;
  readonly webhook: string;
}

/** Webhooks: the application is called about messages of a server. */
export class Webhooks {
  readonly #transport: Transport;

  /** Use `client.webhooks`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the webhooks of a server. */
  async list(server: string, options?: RequestOptions): Promise<readonly Webhook[]> {
    return this.#transport.call("listWebhooks", { path: { id: server } }, options);
  }

  /** Creates a webhook. Its secret is shown once. */
  async create(server: string, fields: CreateWebhookRequest, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("createWebhook", { path: { id: server }, body: fields }, options);
  }

  /** Fetches a webhook. */
  async get({ server, webhook }: WebhookId, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("getWebhook", { path: { id: server, webhook } }, options);
  }

  /** Changes the given members of a webhook. */
  async update(
    { server, webhook }: WebhookId,
    fields: UpdateWebhookRequest,
    options?: RequestOptions,
  ): Promise<Webhook> {
    return this.#transport.call("updateWebhook", { path: { id: server, webhook }, body: fields }, options);
  }

  /** Deletes a webhook with its deliveries. */
  async delete({ server, webhook }: WebhookId, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteWebhook", { path: { id: server, webhook } }, options);
  }

  /** Replaces the secret of a webhook; the old one signs, too, for 24 hours. */
  async rotateSecret(
    { server, webhook }: WebhookId,
    fields: RotateWebhookSecretRequest = {},
    options?: RequestOptions,
  ): Promise<Webhook> {
    return this.#transport.call("rotateWebhookSecret", { path: { id: server, webhook }, body: fields }, options);
  }

  /** Sends the event `ping` to a webhook. */
  async ping({ server, webhook }: WebhookId, options?: RequestOptions): Promise<CallbackDelivery> {
    return this.#transport.call("pingWebhook", { path: { id: server, webhook } }, options);
  }
}

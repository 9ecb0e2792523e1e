import type {
  CallbackDelivery,
  CallbackDeliveryDetail,
  ListDeliveriesQuery,
  Replayed,
  ReplayDeliveriesRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage, itemsFrom, type Page } from "./page.ts";
import type { Transport } from "./transport.ts";

/** Id of a delivery, and of its server. */
export interface DeliveryId {
  readonly server: string;
  readonly delivery: string;
}

/** Options of lists of deliveries. */
export type DeliveryListOptions = RequestOptions & ListDeliveriesQuery;

/** Deliveries: requests to the application that webhooks, event webhooks and inbound routes cause. */
export class Deliveries {
  readonly #transport: Transport;

  /** Use `client.deliveries`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches a page of a server's deliveries, newest first. */
  async list(server: string, options: DeliveryListOptions = {}): Promise<Page<CallbackDelivery>> {
    const { signal, requestTimeout, ...query } = options;
    const parameters = { path: { id: server }, query };
    return fetchPage(this.#transport, { id: "listDeliveries", parameters, options: { signal, requestTimeout } });
  }

  /** Iterates over all deliveries of a server, newest first. Fetches page after page. */
  all(server: string, options: DeliveryListOptions = {}): AsyncGenerator<CallbackDelivery, void, undefined> {
    return itemsFrom(this.list(server, options));
  }

  /** Fetches a delivery with its request and attempts. */
  async get({ server, delivery }: DeliveryId, options?: RequestOptions): Promise<CallbackDeliveryDetail> {
    return this.#transport.call("getDelivery", { path: { id: server, delivery } }, options);
  }

  /** Delivers again. */
  async replay({ server, delivery }: DeliveryId, options?: RequestOptions): Promise<CallbackDelivery> {
    return this.#transport.call("replayDelivery", { path: { id: server, delivery } }, options);
  }

  /** Delivers again what matches; by default what has failed. */
  async replayAll(server: string, fields: ReplayDeliveriesRequest = {}, options?: RequestOptions): Promise<Replayed> {
    return this.#transport.call("replayDeliveries", { path: { id: server }, body: fields }, options);
  }

  /** Erases the content of a delivery; a pending one is cancelled. */
  async erase({ server, delivery }: DeliveryId, options?: RequestOptions): Promise<void> {
    await this.#transport.call("eraseDelivery", { path: { id: server, delivery } }, options);
  }
}

import type {
  Fault,
  HeldMessage,
  ListHeldQuery,
  PutFaultsQuery,
  PutFaultsRequest,
  PutServiceFaultsQuery,
  PutServiceFaultsRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage, type Page } from "./page.ts";
import type { Transport } from "./transport.ts";

/** Rules by which the service misbehaves on purpose: errors, delays, lost replies, held mail. */
export class Faults {
  readonly #transport: Transport;

  /** Use `client.faults`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches the fault rules of a server with their counts and last hits. */
  async list(server: string, options?: RequestOptions): Promise<readonly Fault[]> {
    return this.#transport.call("getFaults", { path: { id: server } }, options);
  }

  /** Replaces the fault rules of a server; their counts start at 0 unless `counts` is `keep`. */
  async replace(
    server: string,
    items: PutFaultsRequest["items"],
    { counts, ...options }: RequestOptions & PutFaultsQuery = {},
  ): Promise<readonly Fault[]> {
    const query = counts === undefined ? {} : { counts };
    return this.#transport.call("putFaults", { path: { id: server }, query, body: { items } }, options);
  }

  /** Fetches a page of the messages that a server has accepted and does not show yet, the next one first. */
  async held(server: string, options: RequestOptions & ListHeldQuery = {}): Promise<Page<HeldMessage>> {
    const { signal, requestTimeout, ...query } = options;
    const parameters = { path: { id: server }, query };
    return fetchPage(this.#transport, { id: "listHeld", parameters, options: { signal, requestTimeout } });
  }

  /** Removes the fault rules of a server. */
  async clear(server: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteFaults", { path: { id: server } }, options);
  }

  /** Fetches the fault rules of the whole service. Requires an account key. */
  async listForService(options?: RequestOptions): Promise<readonly Fault[]> {
    return this.#transport.call("getServiceFaults", {}, options);
  }

  /** Replaces the fault rules of the whole service as {@link replace} does. Requires an account key. */
  async replaceForService(
    items: PutServiceFaultsRequest["items"],
    { counts, ...options }: RequestOptions & PutServiceFaultsQuery = {},
  ): Promise<readonly Fault[]> {
    const query = counts === undefined ? {} : { counts };
    return this.#transport.call("putServiceFaults", { query, body: { items } }, options);
  }

  /** Removes the fault rules of the whole service. Requires an account key. */
  async clearForService(options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteServiceFaults", {}, options);
  }
}

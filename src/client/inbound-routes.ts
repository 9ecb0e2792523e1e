import type {
  CreateInboundRouteRequest,
  InboundRoute,
  RotateInboundRouteSecretRequest,
  UpdateInboundRouteRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Id of an inbound route, and of its server. */
export interface InboundRouteId {
  readonly server: string;
  readonly route: string;
}

/** Inbound routes: mail to an address is handed to the application. */
export class InboundRoutes {
  readonly #transport: Transport;

  /** Use `client.inboundRoutes`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the inbound routes of a server. */
  async list(server: string, options?: RequestOptions): Promise<readonly InboundRoute[]> {
    return this.#transport.call("listInboundRoutes", { path: { id: server } }, options);
  }

  /** Creates an inbound route. */
  async create(server: string, fields: CreateInboundRouteRequest, options?: RequestOptions): Promise<InboundRoute> {
    return this.#transport.call("createInboundRoute", { path: { id: server }, body: fields }, options);
  }

  /** Fetches an inbound route. */
  async get({ server, route }: InboundRouteId, options?: RequestOptions): Promise<InboundRoute> {
    return this.#transport.call("getInboundRoute", { path: { id: server, route } }, options);
  }

  /** Changes the given members of an inbound route. */
  async update(
    { server, route }: InboundRouteId,
    fields: UpdateInboundRouteRequest,
    options?: RequestOptions,
  ): Promise<InboundRoute> {
    return this.#transport.call("updateInboundRoute", { path: { id: server, route }, body: fields }, options);
  }

  /** Deletes an inbound route with its deliveries. */
  async delete({ server, route }: InboundRouteId, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteInboundRoute", { path: { id: server, route } }, options);
  }

  /** Replaces the secrets and keys of an inbound route. */
  async rotateSecret(
    { server, route }: InboundRouteId,
    fields: RotateInboundRouteSecretRequest = {},
    options?: RequestOptions,
  ): Promise<InboundRoute> {
    return this.#transport.call("rotateInboundRouteSecret", { path: { id: server, route }, body: fields }, options);
  }
}

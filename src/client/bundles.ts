import { boundsOf, type Instant } from "./bounds.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** ZIP archives to attach to failed tests. */
export class Bundles {
  readonly #transport: Transport;

  /** Use `client.bundles`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches everything about a message: raw mail, transcript, deliveries, reports, a picture. */
  async ofMessage(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.call("getMessageBundle", { path: { id } }, options);
  }

  /** Fetches all attachments of a message. */
  async ofAttachments(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.call("getAttachments", { path: { id } }, options);
  }

  /** Fetches the newest messages of a server, with a folder for each; with `since`, those received after an instant. */
  async ofServer(server: string, options: RequestOptions & { readonly since?: Instant } = {}): Promise<Uint8Array> {
    const { since, ...rest } = options;
    const { receivedAfter } = boundsOf({ receivedAfter: since });
    const query = receivedAfter === undefined ? {} : { since: receivedAfter };
    return this.#transport.call("getServerBundle", { path: { id: server }, query }, rest);
  }
}

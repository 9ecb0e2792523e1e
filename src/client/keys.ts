import type { CreateKeyRequest, Key, NewKey, RotateKeyRequest } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** API keys. All methods require an account key. */
export class Keys {
  readonly #transport: Transport;

  /** Use `client.keys`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the keys, oldest first. */
  async list(options?: RequestOptions): Promise<readonly Key[]> {
    return this.#transport.call("listKeys", {}, options);
  }

  /** Creates a key of the account or of one server. Its secret is shown once. */
  async create(fields: CreateKeyRequest, options?: RequestOptions): Promise<NewKey> {
    return this.#transport.call("createKey", { body: fields }, options);
  }

  /** Replaces the secret of a key; the current one stays valid for a grace period. */
  async rotate(id: string, fields: RotateKeyRequest = {}, options?: RequestOptions): Promise<NewKey> {
    return this.#transport.call("rotateKey", { path: { id }, body: fields }, options);
  }

  /** Revokes a key. */
  async revoke(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("revokeKey", { path: { id } }, options);
  }
}

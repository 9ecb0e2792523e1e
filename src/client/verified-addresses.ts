import type { AddVerifiedAddressRequest, VerifiedAddress } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Addresses that mail may be sent to. All methods require an account key. */
export class VerifiedAddresses {
  readonly #transport: Transport;

  /** Use `client.verifiedAddresses`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the verified and pending addresses. */
  async list(options?: RequestOptions): Promise<readonly VerifiedAddress[]> {
    return this.#transport.call("listVerifiedAddresses", {}, options);
  }

  /** Adds an address and sends its owner a verification mail. */
  async add(fields: AddVerifiedAddressRequest, options?: RequestOptions): Promise<VerifiedAddress> {
    return this.#transport.call("addVerifiedAddress", { body: fields }, options);
  }

  /** Verifies an address by the token of that mail. */
  async verify(id: string, token: string, options?: RequestOptions): Promise<VerifiedAddress> {
    return this.#transport.call("verifyAddress", { path: { id }, body: { token } }, options);
  }

  /** Removes an address. */
  async remove(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("removeVerifiedAddress", { path: { id } }, options);
  }
}

import type { CreateDeviceRequest, Device, OneTimePassword } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Virtual authenticators, for sign-in with one-time passwords (TOTP). */
export class Devices {
  readonly #transport: Transport;

  /** Use `client.devices`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the devices, oldest first. */
  async list(options?: RequestOptions): Promise<readonly Device[]> {
    return this.#transport.call("listDevices", {}, options);
  }

  /** Creates a device from its shared secret. */
  async create(fields: CreateDeviceRequest, options?: RequestOptions): Promise<Device> {
    return this.#transport.call("createDevice", { body: fields }, options);
  }

  /** Computes the current one-time password of a device. */
  async code(id: string, options?: RequestOptions): Promise<OneTimePassword> {
    return this.#transport.call("getDevicePassword", { path: { id } }, options);
  }

  /** Computes the one-time password of a secret, without storing it. */
  async codeOfSecret(sharedSecret: string, options?: RequestOptions): Promise<OneTimePassword> {
    return this.#transport.call("computePassword", { body: { sharedSecret } }, options);
  }

  /** Deletes a device and its secret. */
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteDevice", { path: { id } }, options);
  }
}

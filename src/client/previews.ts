import { RequestTimeoutError } from "./errors.ts";
import type { EmailClient, GeneratePreviewsRequest, Preview } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Time for rendering an image; the service retries a failed one after a minute. */
const renderMs = 60_000;
/** Pause between two requests for an image that the service names none for. */
const pollMs = 1_000;

/** Pictures of a mail in several email clients. */
export class Previews {
  readonly #transport: Transport;

  /** Use `client.previews`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the email clients that are emulated. */
  async clients(options?: RequestOptions): Promise<readonly EmailClient[]> {
    return this.#transport.call("listEmailClients", {}, options);
  }

  /** Starts generating previews of a mail. */
  async generate(id: string, fields: GeneratePreviewsRequest, options?: RequestOptions): Promise<readonly Preview[]> {
    return this.#transport.call("generatePreviews", { path: { id }, body: fields }, options);
  }

  /** Waits for the image of a preview, a PNG. */
  async image(id: string, options: RequestOptions & { readonly timeout?: number } = {}): Promise<Uint8Array> {
    const { timeout = renderMs, ...rest } = options;
    const deadline = this.#transport.time.now() + timeout;
    for (;;) {
      const { content, response } = await this.#transport.receive("getPreview", { path: { id } }, rest);
      if (response.status !== 202) return content;
      if (this.#transport.time.now() >= deadline)
        throw new RequestTimeoutError(`The preview ${id} was not rendered within ${String(timeout)} ms`);
      await this.#transport.time.pause(Number(response.headers.get("x-ms-delay") ?? pollMs), options.signal);
    }
  }

  /** Renders a mail in one email client and returns the image, a PNG. */
  async render(
    message: string,
    emailClient: string,
    options: RequestOptions & { readonly timeout?: number } = {},
  ): Promise<Uint8Array> {
    const { timeout, ...rest } = options;
    const [preview] = await this.generate(message, { emailClients: [emailClient] }, rest);
    return this.image(preview?.id ?? "", { ...rest, ...(timeout !== undefined && { timeout }) });
  }
}

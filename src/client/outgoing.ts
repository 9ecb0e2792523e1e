/** Messages that the client sends: attachments, and keys against repetition. */
import { toBase64 } from "./base64.ts";
import type { CreateEmailRequest } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { TransportOptions } from "./transport.ts";

/** File to attach. */
export interface AttachmentToSend {
  /** Name of the file. */
  readonly fileName: string;
  /** Media type, such as `application/pdf`. */
  readonly contentType?: string;
  /** Bytes, or base64. */
  readonly content: Uint8Array | string;
  /** Content-ID by which the HTML refers to the file, as `cid:`. */
  readonly contentId?: string;
}

/** Returns the attachments of a request body, as base64; without any, no member. */
export function attachmentsToSend(
  attachments: readonly AttachmentToSend[] | undefined,
): Pick<CreateEmailRequest, "attachments"> {
  if (attachments === undefined) return {};
  return {
    attachments: attachments.map(({ content, ...rest }) => ({
      ...rest,
      content: typeof content === "string" ? content : toBase64(content),
    })),
  };
}

/** Adds an `Idempotency-Key`, so that the request can be repeated and is executed once. */
export function sendOnceOnly(options: RequestOptions = {}): TransportOptions {
  // Unlike `randomUUID`, available on pages without TLS, too.
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  return { ...options, headers: { "idempotency-key": key.join("") }, isRepeatable: true };
}

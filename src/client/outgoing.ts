/** Messages that the client sends: attachments, and keys against repetition. */
import type { CreateEmailRequest } from "./generated/types.ts";
import type { TransportOptions } from "./transport.ts";

/** Bytes per call of `String.fromCharCode`, whose number of arguments is limited. */
const chunkBytes = 8192;

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

/** Returns an `Idempotency-Key`, so that the request can be repeated and is executed once. */
export function sendOnceOnly(): TransportOptions {
  // Unlike `randomUUID`, available on pages without TLS, too.
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  return { headers: { "idempotency-key": key.join("") }, isRepeatable: true };
}

/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes)
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + chunkBytes)));
  return btoa(chunks.join(""));
}

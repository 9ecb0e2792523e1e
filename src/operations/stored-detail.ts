import type { SmtpSession } from "../core/envelope.ts";
import type { Attachment, Message } from "../core/message.ts";
import type { PartContent } from "../mime/part.ts";

/** An attachment as it is kept: its URL depends on where the service is reached and is added on reading. */
export type StoredAttachment = Omit<Attachment, "url">;

/** What the store keeps as a message's detail. `parts[n]` locates `message.attachments[n]`. */
export interface StoredDetail {
  readonly message: Omit<Message, "attachments"> & { readonly attachments: readonly StoredAttachment[] };
  readonly parts: readonly PartContent[];
  readonly session: SmtpSession | null;
}

/** The detail as the bytes that the store keeps. */
export function encodeDetail(detail: StoredDetail): Uint8Array {
  return Buffer.from(JSON.stringify(detail), "utf8");
}

/** The detail out of the bytes that {@link encodeDetail} made. */
export function decodeDetail(bytes: Uint8Array): StoredDetail {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as StoredDetail;
}

/** The message as callers see it; `publicUrl` has no trailing slash. */
export function showMessage(detail: StoredDetail, publicUrl: string): Message {
  const { attachments } = detail.message;
  return {
    ...detail.message,
    attachments: attachments.map((one) => ({ ...one, url: `${publicUrl}/api/files/attachments/${one.id}` })),
  };
}

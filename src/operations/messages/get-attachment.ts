import type { Principal } from "../../core/api-key.ts";
import { attachmentPosition } from "../../core/ids.ts";
import { openAttachmentId, orNotFound } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { unreservedBytesMax, type MemoryReservation } from "../services/limits/memory-reservation.ts";
import { decodeDetail, decodeExcerpt, type StoredAttachment } from "../services/reading/stored-detail.ts";

/** Attachment with its decoded bytes. */
export interface AttachmentContent {
  readonly attachment: StoredAttachment;
  readonly bytes: Uint8Array;
}

/** Dependencies of {@link getAttachment}; `room` limits the memory of content that is loaded concurrently. */
export type GetAttachmentContext = Pick<Context, "store" | "bodies"> &
  CallerPresence & { readonly room?: MemoryReservation };

/**
 * Returns the attachment, decoded from the raw mail, in a worker process when it is large. Rejects with
 * `not_found`, and as `room` and the body analyser do.
 */
export async function getAttachment(
  context: GetAttachmentContext,
  principal: Principal,
  idText: string,
): Promise<AttachmentContent> {
  const id = openAttachmentId(principal, idText);
  const message = orNotFound(await context.store.findMessageOfAttachment(id), "Attachment");
  const bytes = orNotFound(await context.store.getDetail(message), "Attachment");
  const detail = decodeDetail(bytes);
  const position = attachmentPosition(message, id);
  const attachment = orNotFound(detail.message.attachments[position], "Attachment");
  const cost = decodeExcerpt(bytes).sizeBytes + attachment.length;
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  const media = detail.media?.[position];
  if (media !== undefined) return { attachment, bytes: Buffer.from(media, "base64") };
  const raw = orNotFound(await context.store.getRaw(message), "Attachment");
  const part = orNotFound(detail.parts[position], "Attachment");
  return { attachment, bytes: await context.bodies.decode({ raw, part }, callerOf(principal, context)) };
}

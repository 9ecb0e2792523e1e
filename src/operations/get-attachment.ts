import type { Principal } from "../core/api-key.ts";
import { attachmentPosition } from "../core/ids.ts";
import { decodeBytes } from "../mime/body-content.ts";
import { openAttachmentId, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";
import { unreservedBytesMax, type MemoryRoom } from "./memory-room.ts";
import { decodeDetail, decodeGlance, type StoredAttachment } from "./stored-detail.ts";

/** An attachment's record and its decoded bytes. */
export interface AttachmentContent {
  readonly attachment: StoredAttachment;
  readonly bytes: Uint8Array;
}

/** The attachment, decoded from the raw mail at this moment; rejects with `not_found`, and as `room` does. */
export async function getAttachment(
  context: Pick<Context, "store"> & { readonly room?: MemoryRoom },
  principal: Principal,
  idText: string,
): Promise<AttachmentContent> {
  const id = openAttachmentId(principal, idText);
  const message = orNotFound(await context.store.findMessageOfAttachment(id), "Attachment");
  const bytes = orNotFound(await context.store.getDetail(message), "Attachment");
  const detail = decodeDetail(bytes);
  const position = attachmentPosition(message, id);
  const attachment = orNotFound(detail.message.attachments[position], "Attachment");
  const cost = (decodeGlance(bytes)?.sizeBytes ?? 0) + attachment.length;
  if (cost > unreservedBytesMax) await context.room?.reserve(cost);
  const raw = orNotFound(await context.store.getRaw(message), "Attachment");
  return { attachment, bytes: decodeBytes(raw, orNotFound(detail.parts[position], "Attachment")) };
}

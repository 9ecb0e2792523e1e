import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { createStructureReader } from "../../operations/mailboxes/structure-reader.ts";
import { decodeDetail, type StoredDetail } from "../../operations/services/reading/stored-detail.ts";
import { openMessageId } from "../../operations/services/security/access.ts";
import { callerOf } from "../../operations/services/security/caller-of.ts";
import type { RawContent } from "../../store/raw-content.ts";
import type { PeerCall } from "../peer.ts";

/** Copies of a mail in memory: its chunks while they are joined. */
const copies = 2;

/** Mail with its part tree. */
export interface OpenedMail {
  readonly raw: Uint8Array;
  readonly structure: MessageStructure;
}

/** Returns the id of the path. Throws `not_found` when it is none of a received message of the server. */
export function requireId({ principal, params }: Pick<PeerCall, "principal" | "params">): MessageId {
  const id = openMessageId(principal, params["id"] ?? "");
  if (decodeMessageId(id).direction !== "Received") throw notFound("Message");
  return id;
}

/** Returns the stored facts about a message. Rejects with `not_found`. */
export async function openDetail({ context }: Pick<PeerCall, "context">, id: MessageId): Promise<StoredDetail> {
  const bytes = await context.store.getDetail(id);
  if (bytes === undefined) throw notFound("Message");
  return decodeDetail(bytes);
}

/** Opens the bytes of a mail. Rejects with `not_found`. */
export async function openRaw({ context }: Pick<PeerCall, "context">, id: MessageId): Promise<RawContent> {
  const mail = await openMail(context, id);
  if (mail === undefined) throw notFound("Message");
  return mail;
}

/** Returns the part tree of a mail, a large one from the process of the inspector. Rejects with `not_found`, and as the inspector does. */
export async function openStructure(call: PeerCall, id: MessageId): Promise<MessageStructure> {
  const structure = await createStructureReader(call.context).read(
    id,
    callerOf(call.principal, { gone: call.signal() }),
  );
  if (structure === undefined) throw notFound("Message");
  return structure;
}

/** Reads a mail into memory, which is reserved, with its part tree. Rejects with `not_found`, and as reservations do. */
export async function openWhole(call: PeerCall, id: MessageId): Promise<OpenedMail> {
  const structure = await openStructure(call, id);
  const mail = await openRaw(call, id);
  await call.room.reserve(copies * mail.sizeBytes + streamedBytes);
  return { structure, raw: Buffer.concat(await Array.fromAsync(mail.read())) };
}

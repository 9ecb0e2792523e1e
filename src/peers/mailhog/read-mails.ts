import type { MessageId } from "../../core/ids.ts";
import { createStructureReader } from "../../operations/mailboxes/structure-reader.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { readHeads, type MessageHead } from "../../operations/messages/read-heads.ts";
import { callerOf } from "../../operations/services/security/caller-of.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import type { Context } from "../../operations/context.ts";
import type { PeerCall } from "../peer.ts";
import { contentOf } from "./content.ts";
import type { HogMail } from "./message-segments.ts";

/** Copies of a mail in memory: its chunks while they are joined. */
const copies = 2;

/** Members of a call that reading mails needs. */
export type ReadingCall = Pick<PeerCall, "context" | "principal" | "signal" | "room">;

/**
 * Reserves memory for the largest of the mails, since each is in memory while it is sent; returns their heads in the requested
 * order, without those of deleted messages. Rejects as reservations do.
 */
export async function openHeads(call: ReadingCall, ids: readonly MessageId[]): Promise<readonly MessageHead[]> {
  const heads: MessageHead[] = [];
  let largest = 0;
  const context = { ...call.context, gone: call.signal() };
  for await (const head of readHeads(context, call.principal, ids)) {
    heads.push(head);
    largest = Math.max(largest, head.sizeBytes);
  }
  await call.room.reserve(copies * largest + streamedBytes);
  return heads;
}

/** Yields the mails of messages one at a time, without those that are deleted meanwhile. Rejects as the inspector does. */
export async function* readMails(call: ReadingCall, heads: readonly MessageHead[]): AsyncGenerator<HogMail, void> {
  const { context, principal, signal } = call;
  const structures = createStructureReader(context);
  const caller = callerOf(principal, { gone: signal() });
  for (const { id, detail } of heads) {
    const structure = await structures.read(id, caller);
    const raw = structure === undefined ? undefined : await readRaw(context, id);
    if (structure === undefined || raw === undefined) continue;
    const content = contentOf(raw, structure.root);
    yield { id, message: detail.message, raw, content, host: context.settings.mailDomain };
  }
}

/** Returns the bytes of a mail without its last line end, as MailHog keeps them; undefined when the message no longer exists. */
export async function readRaw(context: Pick<Context, "store">, id: MessageId): Promise<Uint8Array | undefined> {
  const mail = await openMail(context, id);
  if (mail === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of mail.read()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return bytes.subarray(0, bytes.length - (bytes.at(-1) === 0x0a ? (bytes.at(-2) === 0x0d ? 2 : 1) : 0));
}

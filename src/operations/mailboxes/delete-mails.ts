/** Deletion of messages by mail clients, as the server allows it. */
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { defaultReaderDeletion, type ReaderDeletion } from "../../core/server.ts";
import { markHidingReaderCountMax } from "../../core/limits.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { Context } from "../context.ts";
import { deleteMessage } from "../messages/delete-messages.ts";
import { actorOf } from "../services/security/access.ts";
import type { MailboxAccess } from "./access-mailbox.ts";
import { readerOf } from "./open-mailbox.ts";

/** Reason why a server refuses deletion, for the user of the client. */
export const deletionRefused: string =
  "This server keeps its messages: its setting readerDeletion refuses deletion by POP3 and IMAP";

/** Messages that a client deletes. */
export interface ReaderDeletions {
  readonly protocol: "POP3" | "IMAP";
  readonly ids: Iterable<MessageId> | AsyncIterable<MessageId>;
  /** Called with the reason when a message cannot be deleted; the others are deleted then. By default the call rejects. */
  readonly onFailure?: (error: unknown) => void;
}

/** Returns the effect of a deletion in the server now. Rejects as the store does. */
export async function deletionOf(
  { store }: Context,
  { server }: Pick<MailboxAccess, "server">,
): Promise<ReaderDeletion> {
  return (await store.getServer(server))?.readerDeletion ?? defaultReaderDeletion;
}

/**
 * Deletes messages one after the other, or hides them from the reader, without those that no longer exist, and records their number in the audit log as one
 * entry, also when a later one fails. Rejects with `forbidden`, before the first one, for a key that may only read and where the
 * server refuses deletion.
 */
export async function deleteMails(
  context: Context,
  access: MailboxAccess,
  { protocol, ids, onFailure }: ReaderDeletions,
): Promise<void> {
  if (!access.mayWrite) throw new Problem("forbidden");
  const deletion = await deletionOf(context, access);
  if (deletion === "refuse") throw new Problem("forbidden", { text: deletionRefused });
  let [count, first]: [number, MessageId | null] = [0, null];
  try {
    for await (const id of ids) {
      await mainTurns.next();
      const isDeleted = await (deletion === "hide" ? hideMail : discardMail)(context, access, id).catch(
        (error: unknown) => {
          if (onFailure === undefined) throw error;
          onFailure(error);
          return false;
        },
      );
      if (!isDeleted) continue;
      count += 1;
      first ??= id;
    }
  } finally {
    const { server, clientAddress, principal } = access;
    const actor = actorOf(principal, "key", clientAddress);
    const [action, target] = ["message.delete_by_reader", count === 1 ? first : null] as const;
    const details = { protocol, [deletion === "hide" ? "hidden" : "deleted"]: count };
    if (count > 0) await context.audit.record(actor, { action, target, server, details });
  }
}

const tooManyHide = `${markHidingReaderCountMax} readers have hidden the message, and no more can; delete it by the API`;

/** Hides a message from the reader; false when it does not exist or was hidden before. */
async function hideMail({ store, events }: Context, access: MailboxAccess, id: MessageId): Promise<boolean> {
  const { server } = access;
  const change = { hideFrom: readerOf(access) };
  const { sequence } = await store.marks.changeMarks(server, [id], change).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "limit_reached") throw error;
    throw new Problem("limit_reached", { text: tooManyHide });
  });
  if (sequence !== undefined) events.publish({ server, change: { sequence, kind: "marked", id }, message: null });
  return sequence !== undefined;
}

/** Deletes a message without an entry in the audit log, such as a copy of a failed COPY; false when it does not exist. */
export async function discardMail(
  context: Context,
  { principal }: Pick<MailboxAccess, "principal">,
  id: MessageId,
): Promise<boolean> {
  try {
    await deleteMessage(context, principal, id);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return false;
    throw error;
  }
}

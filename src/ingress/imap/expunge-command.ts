/** EXPUNGE and UID EXPUNGE (RFC 9051 sections 6.4.3 and 6.4.9). */
import type { MessageId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import { deletionRefused } from "../../operations/mailboxes/delete-mails.ts";
import { no, ok, type RunCommand, readSet } from "./command.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";
import type { ImapSession, SelectedSession } from "./session.ts";

const batchCountMax = 1000;

/** Response to a change of a mailbox that may only be read. */
export const readOnly: string = "[NOPERM] The mailbox is read-only";
/** Response to a deletion on a server that refuses it. */
export const keepsMessages: string = `[CANNOT] ${deletionRefused}`;

/** EXPUNGE. */
export const expunge: RunCommand<SelectedSession> = async (session) => {
  const { selected } = session;
  if (selected.isReadOnly) return no(readOnly);
  if (!selected.mayDelete) return no(keepsMessages);
  await removeDeleted(session, selected, null);
  return ok("EXPUNGE completed");
};

/** UID EXPUNGE. */
export const uidExpunge: RunCommand<SelectedSession> = async (session, tokens) => {
  const { selected } = session;
  if (selected.isReadOnly) return no(readOnly);
  if (!selected.mayDelete) return no(keepsMessages);
  await removeDeleted(session, selected, new Set(selected.find(readSet(tokens[0]), true)));
  return ok("EXPUNGE completed");
};

/** Deletes or hides the messages with the flag `\Deleted` that the client knows, all of them or those among `among`. */
export async function removeDeleted(
  session: ImapSession,
  selected: SelectedMailbox,
  among: ReadonlySet<number> | null,
): Promise<void> {
  await session.context.operations.remove(selected.access, deletedAmong(session, selected, among));
}

async function* deletedAmong(
  session: ImapSession,
  selected: SelectedMailbox,
  among: ReadonlySet<number> | null,
): AsyncGenerator<MessageId> {
  const { operations } = session.context;
  const candidates = among === null ? selected.uids : Uint32Array.from(among);
  for (let at = 0; at < candidates.length; at += batchCountMax) {
    const messages = selected.messagesOf(Array.from(candidates.subarray(at, at + batchCountMax)));
    const ids = messages.map(({ id }) => id);
    const marked = new Map((await operations.readMarks(selected.access, ids)).map(({ id, marks }) => [id, marks]));
    for (const { id, uid } of messages) {
      if (session.connection.isClosed) return;
      if (selected.isDeleted(uid, marked.get(id) ?? noMarks)) yield id;
    }
  }
}

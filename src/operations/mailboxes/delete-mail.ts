import type { MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { deleteMessage } from "../messages/delete-message.ts";
import type { MailboxAccess } from "./access-mailbox.ts";

/**
 * Deletes a message and records it in the audit log; does nothing when it no longer exists. Rejects with `forbidden` for a
 * key that may only read.
 */
export async function deleteMail(
  context: Pick<Context, "store" | "events" | "audit">,
  { principal, mayWrite, server, clientAddress }: MailboxAccess,
  id: MessageId,
): Promise<void> {
  if (!mayWrite) throw new Problem("forbidden");
  try {
    await deleteMessage(context, principal, id);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return;
    throw error;
  }
  const { keyId, keyName = null } = principal;
  const actor = { by: "key", key: keyId, name: keyName, clientAddress } as const;
  await context.audit.record(actor, { action: "message.delete", target: id, server, details: {} });
}

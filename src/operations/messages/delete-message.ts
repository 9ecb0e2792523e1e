import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Deletes a message with its attachments and raw bytes. Rejects with `not_found`. */
export async function deleteMessage(
  context: Pick<Context, "store" | "events">,
  principal: Principal,
  idText: string,
): Promise<void> {
  const id = openMessageId(principal, idText);
  const sequence = orNotFound(await context.store.deleteMessage(id), "Message");
  const { server } = decodeMessageId(id);
  context.events.publish({ server, change: { sequence, kind: "deleted", id }, message: null });
}

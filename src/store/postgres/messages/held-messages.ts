/** Held messages: accepted, and invisible until they arrive. They are rows of the table of scheduled messages. */
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import { hasQuota, requireRoom, type ServerQuota, type ServerUsage } from "../../../core/server-quota.ts";
import { heldBytes, type NewScheduledMessage } from "../../scheduled-message-store.ts";
import { lockServer, type ServerPosition } from "../account/servers.ts";
import type { Session } from "../connection/database.ts";
import { serverNumberOf } from "./id-slots.ts";

/** Returns the number and the bytes of a server's held messages. */
export async function measureHeld(session: Session, server: ServerId): Promise<ServerUsage> {
  const [row] = await session.query<ServerUsage>(
    `select count(*)::int4 as messages, coalesce(sum(held_bytes), 0)::int8 as bytes from scheduled_email
     where server_id = $1 and held_bytes is not null`,
    [serverNumberOf(server)],
  );
  return row ?? { messages: 0, bytes: 0 };
}

/** Messages that are added to a server whose row the transaction has locked. */
export interface AddedUsage {
  readonly server: ServerId;
  readonly position: ServerPosition;
  readonly added: ServerUsage;
}

/** Throws `quota_exceeded` when a server would exceed its quota. Its held messages count as if they were stored. */
export async function requireQuota(
  session: Session,
  { server, position, added }: AddedUsage,
  fallback: ServerQuota,
): Promise<void> {
  const { messageCount, byteCount, quotaMessages, quotaBytes } = position;
  const own = { messages: quotaMessages, bytes: quotaBytes };
  if (!hasQuota(own, fallback)) return;
  const held = await measureHeld(session, server);
  const used = { messages: messageCount + held.messages, bytes: byteCount + held.bytes };
  requireRoom(server, { used, added }, { own, fallback });
}

/**
 * Locks the servers of held messages. Rejects with `recipient_unknown` when one does not exist, and with `quota_exceeded`
 * when one would exceed its quota.
 */
export async function requireHeldQuota(
  session: Session,
  held: readonly NewScheduledMessage[],
  fallback: ServerQuota,
): Promise<void> {
  const byServer = Map.groupBy(held, ({ id }) => decodeMessageId(id).server);
  const servers = [...byServer].toSorted(([a], [b]) => serverNumberOf(a) - serverNumberOf(b));
  for (const [server, own] of servers) {
    const position = await lockServer(session, server);
    if (position === undefined) throw new Problem("recipient_unknown");
    const bytes = own.reduce((sum, message) => sum + heldBytes(message), 0);
    await requireQuota(session, { server, position, added: { messages: own.length, bytes } }, fallback);
  }
}

/** Quotas of servers, in which their held messages count as if they were stored. */
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import { hasQuota, requireRoom, type ServerQuota, type ServerUsage } from "../../../core/server-quota.ts";
import type { Query } from "../../sql/query.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { heldBytes, type NewScheduledMessage } from "../../scheduled-message-store.ts";
import { lockServer, type ServerPosition } from "../../records/server-position.ts";
import { postgresDialect } from "../connection/dialect.ts";
import { serverNumberOf } from "./id-slots.ts";

/** Messages that are added to a server whose row the transaction has locked. */
export interface AddedUsage {
  readonly server: ServerId;
  readonly position: ServerPosition;
  readonly added: ServerUsage;
}

const scheduled = new ScheduledRows(postgresDialect);

/** Throws `quota_exceeded` when a server would exceed its quota. */
export function* requiredQuota({ server, position, added }: AddedUsage, fallback: ServerQuota): Query<void> {
  const { receivedCount, sentCount, byteCount, quotaMessages, quotaBytes } = position;
  const own = { messages: quotaMessages, bytes: quotaBytes };
  if (!hasQuota(own, fallback)) return;
  const held = yield* scheduled.measureHeldMessages(server);
  const used = { messages: receivedCount + sentCount + held.messages, bytes: byteCount + held.bytes };
  requireRoom(server, { used, added }, { own, fallback });
}

/**
 * Locks the servers of held messages. Throws `recipient_unknown` when one does not exist, and `quota_exceeded` when one would
 * exceed its quota.
 */
export function* heldQuota(held: readonly NewScheduledMessage[], fallback: ServerQuota): Query<void> {
  const byServer = Map.groupBy(held, ({ id }) => decodeMessageId(id).server);
  const servers = [...byServer].toSorted(([a], [b]) => serverNumberOf(a) - serverNumberOf(b));
  for (const [server, own] of servers) {
    const position = yield* lockServer(postgresDialect, server);
    if (position === undefined) throw new Problem("recipient_unknown");
    const bytes = own.reduce((sum, message) => sum + heldBytes(message), 0);
    yield* requiredQuota({ server, position, added: { messages: own.length, bytes } }, fallback);
  }
}

import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import type { ExpiryRule } from "../../store.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverNumberOf, slotsSince } from "../messages/id-slots.ts";
import { removeMessages } from "../messages/remove.ts";
import { lockServer } from "../account/servers.ts";

/** Number of messages removed in one step, so that new mail waits a few milliseconds only. */
const expiredCountPerStep = 200;

interface Aged {
  readonly id: MessageId;
  readonly receivedAt: number;
  readonly random: number;
}

/** Removes expired messages of a server in one step, oldest first over both directions; returns their number. */
export async function expireMessages(database: Database, server: ServerId, rule: ExpiryRule): Promise<number> {
  if (rule.receivedBefore === null && rule.keepNewest === null) return 0;
  return await database.transact(async (session) => {
    const position = await lockServer(session, server);
    if (position === undefined) return 0;
    const { epoch } = position;
    const messageCount = position.receivedCount + position.sentCount;
    const surplus = rule.keepNewest === null ? 0 : Math.max(0, messageCount - rule.keepNewest);
    const candidates = [
      ...(await findOldest(session, { server, epoch, direction: "Received" })),
      ...(await findOldest(session, { server, epoch, direction: "Sent" })),
    ];
    const expired = candidates
      .sort((a, b) => a.receivedAt - b.receivedAt || a.random - b.random)
      .slice(0, expiredCountPerStep)
      .filter(({ receivedAt }, index) => index < surplus || receivedAt < (rule.receivedBefore ?? -Infinity))
      .map(({ id }) => id);
    if (expired.length === 0) return 0;
    const number = serverNumberOf(server);
    await removeMessages(session, { server: number, epoch }, expired);
    await session.query("update server set retired = retired + $2 where server_id = $1", [number, expired.length]);
    return expired.length;
  });
}

async function findOldest(
  session: Session,
  { server, epoch, direction }: { readonly server: ServerId; readonly epoch: number; readonly direction: Direction },
): Promise<readonly Aged[]> {
  const { first, last } = slotsSince(server, direction, 0);
  const rows = await session.query<{ id: MessageId }>(
    `select id from message where server_id = $1 and epoch = $2 and slot between $3 and $4 order by slot limit $5`,
    [serverNumberOf(server), epoch, first, last, expiredCountPerStep],
  );
  return rows.map(({ id }) => {
    const { receivedAt, random } = decodeMessageId(id);
    return { id, receivedAt, random };
  });
}

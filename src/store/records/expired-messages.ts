/** Statements about messages that a retention rule deletes, within the transaction that deletes them. */
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { ExpiryRule } from "../store.ts";
import { idsSince } from "../page-bounds.ts";
import { lockServer, type ServerPosition } from "./server-position.ts";

/** Messages deleted in one step, so that mail that arrives meanwhile waits only a few milliseconds. */
const expiredCountPerStep = 200;

/** Messages that expire, and the position of their server, which is locked. */
export interface ExpiredMessages {
  readonly position: ServerPosition;
  readonly ids: readonly MessageId[];
}

/** Returns the oldest expired messages of both directions for one step, and counts them as retired; undefined without any. */
export function* takeExpired(
  dialect: SqlDialect,
  server: ServerId,
  rule: ExpiryRule,
): Query<ExpiredMessages | undefined> {
  if (rule.receivedBefore === null && rule.keepNewest === null) return undefined;
  const position = yield* lockServer(dialect, server);
  if (position === undefined) return undefined;
  const messageCount = position.receivedCount + position.sentCount;
  const surplus = rule.keepNewest === null ? 0 : Math.max(0, messageCount - rule.keepNewest);
  const oldest = [
    ...(yield* listOldest(dialect, position, idsSince(server, "Received"))),
    ...(yield* listOldest(dialect, position, idsSince(server, "Sent"))),
  ];
  const ids = oldest
    .map((id) => ({ id, ...decodeMessageId(id) }))
    .sort((a, b) => a.receivedAt - b.receivedAt || a.random - b.random)
    .slice(0, expiredCountPerStep)
    .filter(({ receivedAt }, index) => index < surplus || receivedAt < (rule.receivedBefore ?? -Infinity))
    .map(({ id }) => id);
  if (ids.length === 0) return undefined;
  yield* rowsOf(`update server set retired = retired + $2 where ${dialect.serverNumber} = $1`, [
    position.number,
    ids.length,
  ]);
  return { position, ids };
}

function* listOldest(
  { ofEpoch, slotColumn, slotIn, fromSlot }: SqlDialect,
  { number, epoch }: ServerPosition,
  { first, last }: ReturnType<typeof idsSince>,
): Query<readonly MessageId[]> {
  const rows = yield* rowsOf<{ readonly id: string | Uint8Array }>(
    `select id from message m where ${ofEpoch("m", "$2")} and ${slotColumn} between ${slotIn("$3")} and ${slotIn("$4")}
     order by ${slotColumn} limit cast($5 as integer)`,
    [number, epoch, first, last, expiredCountPerStep],
  );
  return rows.map(({ id }) => fromSlot(id));
}

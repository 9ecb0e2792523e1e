import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { claims, type DueRow } from "../../queues/leased-tables.ts";
import { rowsOf, type Query } from "../../sql/query.ts";
import { serverNumberOf } from "../messages/id-slots.ts";

interface EntryRow extends DueRow {
  readonly message: MessageId | null;
  readonly epoch: number | null;
}

/** Returns due entries, and locks them. Entries whose message was deleted with the epoch of its server are deleted. */
export function* dueEntries(now: number, limit: number): Query<readonly DueRow[]> {
  const live: EntryRow[] = [];
  for (;;) {
    const due = yield* rowsOf<EntryRow>(
      `select entry as id, message, epoch, open_claims as "openClaims" from outbox
       where due_at <= $1 and ${claims.mayTake} and entry <> all($2::text[])
       order by due_at, entry limit $3 for update skip locked`,
      [now, live.map(({ id }) => id), limit - live.length],
    );
    const dead = yield* findDead(due);
    live.push(...due.filter(({ id }) => !dead.has(id)));
    if (dead.size === 0) return live;
    yield* rowsOf("delete from outbox where entry = any($1::text[])", [[...dead]]);
  }
}

function* findDead(due: readonly EntryRow[]): Query<ReadonlySet<string>> {
  const dead = new Set<string>();
  const serverOf = ({ message }: EntryRow) => (message === null ? null : decodeMessageId(message).server);
  for (const [server, entries] of Map.groupBy(due, serverOf)) {
    if (server === null) continue;
    const sql = "select epoch from server where server_id = $1";
    const [present] = yield* rowsOf<{ readonly epoch: number }>(sql, [serverNumberOf(server)]);
    for (const { id, epoch } of entries) if (present?.epoch !== epoch) dead.add(id);
  }
  return dead;
}

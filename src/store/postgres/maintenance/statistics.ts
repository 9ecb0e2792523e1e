import type { StoreStatistics } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import type { TextIndexSettings } from "../text-index/text-index.ts";

/** What the store holds and still has to do, counted where it is kept as a sum already. */
export async function readStatistics(
  database: Database,
  textIndex: TextIndexSettings | null,
): Promise<Omit<StoreStatistics, "storageFull">> {
  const [servers] = await database.query<{ servers: number; messages: number }>(
    `/* all servers */ select count(*) as servers, coalesce(sum(received_count + sent_count), 0)::bigint as messages
     from server`,
  );
  const indexBacklogCount = textIndex === null ? 0 : await countUnindexed(database, textIndex);
  const [purge] = await database.query<{ count: number }>(
    "/* all servers */ select coalesce(sum(message_count), 0)::bigint as count from purge",
  );
  const [rest] = await database.query<{ entries: number; bytes: number }>(
    `select (select count(*) from outbox where due_at is not null) as entries,
       pg_database_size(current_database()) as bytes`,
  );
  return {
    serverCount: servers?.servers ?? 0,
    messageCount: servers?.messages ?? 0,
    purgeBacklogCount: purge?.count ?? 0,
    indexBacklogCount,
    outboxBacklogCount: rest?.entries ?? 0,
    sizeBytes: rest?.bytes ?? 0,
  };
}

/** Not exactly where messages were deleted since: no more than are there, and 0 only where all are indexed. */
async function countUnindexed(database: Database, { serverMessageCountMin }: TextIndexSettings): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `/* all servers */ select coalesce(sum(least(s.received_count + s.sent_count, s.sequence - coalesce(i.up_to, 0))), 0)::bigint as count
     from server s left join text_index i on i.server_id = s.server_id and i.epoch = s.epoch
     where s.received_count + s.sent_count >= $1`,
    [serverMessageCountMin],
  );
  return row?.count ?? 0;
}

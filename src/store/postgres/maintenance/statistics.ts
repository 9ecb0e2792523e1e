import type { StoreStatistics } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import type { TextIndexSettings } from "../text-index/text-index-settings.ts";

/** Reads sizes and backlogs of the store, mostly from stored sums. */
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
  const rest = await readBacklogs(database);
  return {
    serverCount: servers?.servers ?? 0,
    messageCount: servers?.messages ?? 0,
    purgeBacklogCount: purge?.count ?? 0,
    indexBacklogCount,
    ...rest,
  };
}

async function readBacklogs(
  database: Database,
): Promise<Pick<StoreStatistics, "outboxBacklogCount" | "heldMessageCount" | "sizeBytes">> {
  const [rest] = await database.query<{ entries: number; held: number; bytes: number }>(
    `select (select count(*) from outbox where due_at is not null) as entries,
       (select count(*) from scheduled_email where held_bytes is not null) as held,
       pg_database_size(current_database()) as bytes`,
  );
  return {
    outboxBacklogCount: rest?.entries ?? 0,
    heldMessageCount: rest?.held ?? 0,
    sizeBytes: rest?.bytes ?? 0,
  };
}

/**
 * Estimates the number of messages that are not indexed: exact unless messages were deleted since, and 0 only when all
 * are indexed.
 */
export async function countUnindexed(
  database: Database,
  { serverMessageCountMin }: TextIndexSettings,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `/* all servers */ select coalesce(sum(least(s.received_count + s.sent_count,
       case when i.walk_to is null then s.sequence - coalesce(i.up_to, 0)
         else greatest(1, i.walk_count) + s.sequence - i.walk_to end)), 0)::bigint as count
     from server s left join text_progress i on i.server_id = s.server_id and i.epoch = s.epoch
     where s.received_count + s.sent_count >= $1`,
    [serverMessageCountMin],
  );
  return row?.count ?? 0;
}

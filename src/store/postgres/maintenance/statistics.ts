import type { StoreStatistics } from "../../store.ts";
import { countStore } from "../../records/store-counts.ts";
import type { Database } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";
import type { TextIndexSettings } from "../text-index/text-index-settings.ts";

/** Reads sizes and backlogs of the store, mostly from stored sums. */
export async function readStatistics(
  database: Database,
  textIndex: TextIndexSettings | null,
): Promise<Omit<StoreStatistics, "storageFull">> {
  const counts = await runOn(database, countStore());
  const indexBacklogCount = textIndex === null ? 0 : await countUnindexed(database, textIndex);
  const [size] = await database.query<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
  return { ...counts, indexBacklogCount, sizeBytes: size?.bytes ?? 0 };
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
    `/* all servers */ select coalesce(sum(least(s.received_count + s.sent_count, s.sequence - coalesce(i.up_to, 0))), 0)::bigint as count
     from server s left join text_progress i on i.server_id = s.server_id and i.epoch = s.epoch
     where s.received_count + s.sent_count >= $1`,
    [serverMessageCountMin],
  );
  return row?.count ?? 0;
}

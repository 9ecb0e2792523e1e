import type { StoreStatistics } from "../store.ts";
import type { Database } from "./database.ts";

/** What the store holds and still has to do, counted where it is kept as a sum already. */
export async function readStatistics(database: Database): Promise<StoreStatistics> {
  const [servers] = await database.query<{ servers: number; messages: number }>(
    `/* all servers */ select count(*) as servers, coalesce(sum(received_count + sent_count), 0)::bigint as messages
     from server`,
  );
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
    indexBacklogCount: 0,
    outboxBacklogCount: rest?.entries ?? 0,
    sizeBytes: rest?.bytes ?? 0,
  };
}

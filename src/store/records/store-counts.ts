import { rowsOf, type Query } from "../sql/query.ts";
import type { StoreStatistics } from "../store.ts";

/** Counts of rows of the whole store. */
export type StoreCounts = Pick<
  StoreStatistics,
  "serverCount" | "messageCount" | "purgeBacklogCount" | "outboxBacklogCount" | "heldMessageCount"
>;

/** Counts rows of the whole store, mostly by stored sums. */
export function* countStore(): Query<StoreCounts> {
  const [servers] = yield* rowsOf<Pick<StoreCounts, "serverCount" | "messageCount">>(
    `/* all servers */ select count(*) as "serverCount",
       cast(coalesce(sum(received_count + sent_count), 0) as bigint) as "messageCount" from server`,
  );
  const [purge] = yield* rowsOf<Pick<StoreCounts, "purgeBacklogCount">>(
    `/* all servers */ select cast(coalesce(sum(message_count), 0) as bigint) as "purgeBacklogCount" from purge`,
  );
  const [work] = yield* rowsOf<Pick<StoreCounts, "outboxBacklogCount" | "heldMessageCount">>(
    `select (select count(*) from outbox where due_at is not null) as "outboxBacklogCount",
       (select count(*) from scheduled_email where held_bytes is not null) as "heldMessageCount"`,
  );
  if (servers === undefined || purge === undefined || work === undefined) throw new Error("a count returned no row");
  return { ...servers, ...purge, ...work };
}

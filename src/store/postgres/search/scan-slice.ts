import { Problem } from "../../../core/errors.ts";
import type { Session } from "../connection/database.ts";
import { bind } from "../connection/parameters.ts";
import { predecessor, type SlotRange } from "../messages/id-slots.ts";
import { allMessages, newestFirst, wholePlan, type SearchPlan } from "./search-plan.ts";

/** Matches, and the summaries of those on the page. */
export interface Matches {
  readonly count: number;
  readonly json: string | null;
}

/** Result of one statement over the newest messages of a range, and the state of the server. */
export interface Slice extends Matches {
  readonly epoch: number;
  readonly sequence: number;
  readonly held: number;
  /** Sequence number up to which messages are in segments; null when the server is not indexed. */
  readonly upTo: number | null;
  /** Version of the segments; 0 when the server is not indexed. */
  readonly version: number;
  /** Messages that were compared, and the oldest slot of these. */
  readonly looked: number;
  readonly lowest: string | null;
  /** Slots of the matches, newest first, separated by commas. */
  readonly slots: string | null;
}

/** Messages that are compared, and the matches that are needed. */
export interface SliceQuery {
  /** Number of the server. */
  readonly server: number;
  readonly plan: Pick<SearchPlan, "source" | "slot" | "keys" | "condition" | "selected" | "values">;
  /** Messages that the statement compares. */
  readonly messageCount: number;
}

/** Throws `unavailable` when the caller has disconnected; called between statements. */
export function stopWhenLeft(signal: AbortSignal): void {
  if (signal.aborted) throw new Problem("unavailable", { cause: signal.reason });
}

/** Numbers the matches and joins the summaries of those on the page: `found` returns slots and summaries. */
export const gathered = (found: string): string => `
  select count(*) as count, string_agg(slot::text, ',' order by slot desc) as slots,
    string_agg(summary, ',' order by slot desc) filter (where n > :skip::bigint and n <= :shown::bigint) as json
  from (select slot, summary, row_number() over (order by slot desc) as n from (${found}) f) q`;

/**
 * Compares the newest messages of a range of the source; of their matches, `need` are found, of which `skip` and the last one
 * are not on the page. Returns undefined when there is no such server.
 */
export async function scanSlice(
  session: Session,
  { server, plan, messageCount }: SliceQuery,
  { range, skip, need }: { readonly range: SlotRange; readonly skip: number; readonly need: number },
): Promise<Slice | undefined> {
  const name = plan.slot.charAt(0);
  const keys = plan.keys.map((key) => `${name}.${key}`).join(", ");
  const looked = `select ${keys}, case when ${plan.condition} then ${plan.selected} end as summary from ${plan.source}
    order by ${newestFirst(plan, name)} limit :messages::bigint`;
  const found = "select slot, summary from looked where summary is not null order by slot desc limit :need::bigint";
  const text = `with looked as materialized (${looked})
    select s.epoch, s.sequence, s.received_count + s.sent_count as held, p.count, p.slots, p.json, i.up_to as "upTo", coalesce(i.version, 0) as version,
      (select count(*) from looked) as looked, (select slot from looked order by slot limit 1) as lowest
    from server s left join text_progress i on i.server_id = :server::bigint and i.epoch = s.epoch
    cross join lateral (${gathered(found)}) p where s.server_id = :server::bigint`;
  const values = { ...plan.values, server, ...range, skip, need, shown: need - 1, messages: messageCount };
  const { sql, parameters } = bind(text, values);
  return (await session.query<Slice>(sql, parameters))[0];
}

/**
 * Returns the slots of the newest messages in a range that meet a condition, at most `need`. `filter` is an index condition that
 * the compared messages meet, after `and`; "" for all.
 */
export async function scanRange(
  session: Session,
  {
    filter,
    condition,
    ...scan
  }: Omit<SliceQuery, "plan"> & {
    readonly filter: string;
    readonly condition: string;
    readonly values: SearchPlan["values"];
  },
  { range, need, signal }: { readonly range: SlotRange; readonly need: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { first } = range;
  const plan = {
    ...wholePlan,
    source: `${allMessages}${filter}`,
    condition,
    selected: "''::text",
    values: scan.values,
  };
  const found: string[] = [];
  for (let { last } = range; found.length < need && first <= last;) {
    stopWhenLeft(signal);
    const wanted = { range: { first, last }, skip: need, need: need - found.length };
    const slice = await scanSlice(session, { ...scan, plan }, wanted);
    if (typeof slice?.slots === "string") found.push(...slice.slots.split(","));
    const lowest = slice?.lowest ?? first;
    if (slice?.looked !== scan.messageCount || lowest === first) break;
    last = predecessor(lowest);
  }
  return found;
}

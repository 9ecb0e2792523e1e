import type { Session } from "../connection/database.ts";
import { bind } from "../connection/statement.ts";
import { predecessor, type SlotRange } from "../messages/id-slots.ts";
import { allMessages } from "./search-plan.ts";

/** Scan of the messages of a server. */
export interface RangeScan {
  /** Number of the server. */
  readonly server: number;
  /** Condition that the scanned messages meet; empty for all. */
  readonly filter: string;
  /** Condition of a match. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Messages that one statement compares. */
  readonly sliceMessageCount: number;
}

interface Scanned {
  readonly looked: number;
  readonly lowest: string | null;
  readonly slots: string | null;
}

/** Returns the slots of the newest matches in a range, at most `need`. `onSlice` is called before each statement. */
export async function scanRange(
  session: Session,
  scan: RangeScan,
  { range, need, onSlice }: { readonly range: SlotRange; readonly need: number; readonly onSlice: () => void },
): Promise<readonly string[]> {
  const { first } = range;
  const found: string[] = [];
  for (let { last } = range; found.length < need && first <= last;) {
    onSlice();
    const { looked, lowest, slots } = await scanSlice(session, scan, {
      range: { first, last },
      need: need - found.length,
    });
    if (slots !== null) found.push(...slots.split(","));
    if (looked < scan.sliceMessageCount || lowest === null || lowest === first) break;
    last = predecessor(lowest);
  }
  return found;
}

async function scanSlice(
  session: Session,
  { server, filter, condition, values, sliceMessageCount }: RangeScan,
  { range, need }: { readonly range: SlotRange; readonly need: number },
): Promise<Scanned> {
  const text = `with looked as materialized (
      select m.slot, ${condition} as is_match from ${allMessages}${filter === "" ? "" : ` and ${filter}`}
      order by m.epoch desc, m.slot desc limit :messages::bigint)
    select (select count(*) from looked) as looked,
      (select slot from looked order by slot limit 1) as lowest,
      (select string_agg(slot::text, ',' order by slot desc) from (
        select slot from looked where is_match order by slot desc limit :need::bigint) f) as slots`;
  const { sql, parameters } = bind(text, { ...values, server, ...range, need, messages: sliceMessageCount });
  const [scanned] = await session.query<Scanned>(sql, parameters);
  return scanned ?? { looked: 0, lowest: null, slots: null };
}

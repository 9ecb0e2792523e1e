import type { Session } from "../connection/database.ts";
import type { SlotRange } from "../messages/id-slots.ts";
import type { SegmentScope } from "../text-index/segments.ts";
import { scanRange } from "./range-scan.ts";
import type { SearchPlan } from "./search-plan.ts";

/** Messages that the segments of a server contain; columns of `text_progress`. */
export interface IndexProgress {
  readonly upTo: number;
  readonly walkTo: number | null;
  readonly walkSlot: string;
}

/** Search in messages that no segment contains. */
export interface UncoveredQuery extends SegmentScope {
  readonly plan: SearchPlan;
  readonly progress: IndexProgress;
  /** Number of the last change of the server. */
  readonly sequence: number;
  /** Messages that one statement compares. */
  readonly sliceMessageCount: number;
}

/** Messages in no segment: those that arrived later, and those that the first walk has not reached. */
export class UncoveredMessages {
  readonly #session: Session;
  readonly #query: UncoveredQuery;
  /** Oldest slot that may be uncovered; null when there is none. */
  readonly #oldest: string | null;

  private constructor(session: Session, query: UncoveredQuery, oldest: string | null) {
    this.#session = session;
    this.#query = query;
    this.#oldest = oldest;
  }

  /** Finds the messages in a range. */
  static async in(session: Session, query: UncoveredQuery, range: SlotRange): Promise<UncoveredMessages> {
    const { walkTo, walkSlot } = query.progress;
    const arrived = await oldestArrival(session, query, range);
    const unwalked = walkTo === null ? null : walkSlot;
    const oldest = arrived === null || unwalked === null ? (arrived ?? unwalked) : minimum(arrived, unwalked);
    return new UncoveredMessages(session, query, oldest);
  }

  /** Returns the slots of the newest matches in a range, at most `need`. `onSlice` is called before each statement. */
  async find(range: SlotRange, need: number, onSlice: () => void): Promise<readonly string[]> {
    if (this.#oldest === null || this.#oldest > range.last) return [];
    const first = this.#oldest > range.first ? this.#oldest : range.first;
    const { server, plan, progress, sliceMessageCount } = this.#query;
    const filter =
      progress.walkTo === null
        ? "m.sequence > :upTo::bigint"
        : "m.sequence > :upTo::bigint and (m.slot > :walkSlot::uuid or m.sequence > :walkTo::bigint)";
    const values = { ...plan.values, ...progress };
    const scan = { server, filter, condition: plan.wholeCondition, values, sliceMessageCount };
    return await scanRange(this.#session, scan, { range: { first, last: range.last }, need, onSlice });
  }
}

/**
 * Returns the oldest slot of the messages in a range that arrived after those that are indexed or walked: null when none did,
 * and the first of the range when the journal does not reach back to them. (12 bits of an id are cleared, two more than a
 * slot leaves out, because text allows no fewer.)
 */
async function oldestArrival(
  session: Session,
  { server, progress, sequence }: UncoveredQuery,
  { first, last }: SlotRange,
): Promise<string | null> {
  const after = progress.walkTo ?? progress.upTo;
  if (after >= sequence) return null;
  const [row] = await session.query<{ isListed: boolean; oldest: string | null }>(
    `select exists (select 1 from change where server_id = $1 and sequence = $2::bigint + 1) as "isListed",
       (select (left(id::text, 33) || '000')::uuid from change
        where server_id = $1 and sequence > $2 and kind < 2 and id between $3::uuid and $4::uuid order by id limit 1) as oldest`,
    [server, after, first, idEnd(last)],
  );
  return row?.isListed === true ? row.oldest : first;
}

/** Returns the highest id of a slot. */
function idEnd(slot: string): string {
  return `${slot.slice(0, 33)}fff`;
}

function minimum(one: string, other: string): string {
  return one < other ? one : other;
}

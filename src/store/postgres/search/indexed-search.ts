import type { Direction } from "../../../core/message.ts";
import { uuidArray, bind } from "../connection/parameters.ts";
import type { Session } from "../connection/database.ts";
import { predecessor, successor, type SlotRange } from "../messages/id-slots.ts";
import { SegmentCandidates } from "../text-index/segment-candidates.ts";
import { bytesOfSlot } from "../text-index/segment-writes.ts";
import type { SegmentLists } from "../text-index/segment-lists.ts";
import type { SegmentScope } from "../text-index/segments.ts";
import { scanRange, stopWhenLeft, type Matches } from "./scan-slice.ts";
import { comparedColumns, type SearchPlan } from "./search-plan.ts";

/** Segments whose rows are read together first and at most, so that there are at most 65,536 candidates at a time. */
const segmentCountFew = 4;
const segmentCountMax = 32;
/** Candidates that are compared together first and at most. */
const candidateCountFew = 64;
const candidateCountMax = 1024;
const growthFactor = 4;

/** Search by the text index in one server. */
export interface IndexedQuery extends SegmentScope {
  readonly direction: Direction;
  readonly plan: SearchPlan;
  readonly lists: SegmentLists;
  /** Version of the segments of the server. */
  readonly version: number;
  /** Number of the last change of the server, and of the last one whose message is in a segment. */
  readonly sequence: number;
  readonly upTo: number;
  readonly signal: AbortSignal;
  /** Messages that one statement compares. */
  readonly sliceMessageCount: number;
}

/** Matches that a search needs. */
interface Wanted {
  readonly range: SlotRange;
  /** Matches before the page. */
  readonly skip: number;
  /** Matches up to one after the page. */
  readonly need: number;
  /** Whether matches are probably rare, so that the filters of all segments are read together. */
  readonly isRare: boolean;
}

/**
 * Search by the text index: segments are read newest first, some at a time, and their candidates and the messages in no
 * segment are compared newest first until the page is full.
 */
export class IndexedSearch {
  readonly #session: Session;
  readonly #query: IndexedQuery;
  readonly #candidates: SegmentCandidates;
  readonly #onPage: string[] = [];
  #count = 0;

  constructor(session: Session, query: IndexedQuery) {
    this.#session = session;
    this.#query = query;
    this.#candidates = new SegmentCandidates(session, query, query.plan.indexed);
  }

  /** Returns the newest matches in a range. */
  async find(wanted: Wanted): Promise<Matches> {
    const { range } = wanted;
    const listed = await this.#query.lists.in(this.#session, this.#query, { direction: this.#query.direction, range });
    const segments = wanted.isRare ? await this.#candidates.exclude(listed) : listed;
    const oldestUncovered = await this.#oldestUncovered();
    const pending = new Pending();
    let batch = segmentCountFew;
    let { last } = range;
    for (let opened = 0; this.#count < wanted.need; batch = Math.min(batch * growthFactor, segmentCountMax)) {
      stopWhenLeft(this.#query.signal);
      const some = segments.slice(opened, opened + batch);
      opened += some.length;
      pending.add(await this.#candidates.find(some), range);
      // The remaining segments may contain slots up to this one.
      const next = segments[opened]?.last;
      const first = next === undefined ? range.first : successor(next);
      if (first <= last) {
        const need = wanted.need - this.#count;
        this.#take(
          await this.#matchesIn({ first, last }, { candidates: pending.takeFrom(first), oldestUncovered, need }),
          wanted,
        );
      }
      if (next === undefined) break;
      if (next < last) last = next;
    }
    return { count: this.#count, json: await this.#summaries() };
  }

  /** Returns the oldest slot of the messages in no segment; null when there is none. */
  async #oldestUncovered(): Promise<string | null> {
    const { server, epoch, upTo, sequence } = this.#query;
    if (upTo >= sequence) return null;
    const [row] = await this.#session.query<{ slot: string }>(
      `select slot from (select slot from message where server_id = $1 and epoch = $2 and sequence > $3 offset 0) m
       order by slot limit 1`,
      [server, epoch, upTo],
    );
    return row?.slot ?? null;
  }

  /** Returns the newest matches in a range of slots that no unread segment contains. */
  async #matchesIn(
    range: SlotRange,
    of: { readonly candidates: readonly Uint8Array[]; readonly oldestUncovered: string | null; readonly need: number },
  ): Promise<readonly string[]> {
    const { candidates, oldestUncovered, need } = of;
    const { plan, upTo } = this.#query;
    const covered = await this.#compare(candidates, need);
    const uncovered = { filter: " and m.sequence > :upTo::bigint", condition: plan.wholeCondition, values: { upTo } };
    const { first, last } = range;
    const others =
      oldestUncovered === null || oldestUncovered > last
        ? []
        : await this.#scan({ first: oldestUncovered > first ? oldestUncovered : first, last }, need, uncovered);
    // Messages that match though they contain none of the texts.
    const withoutTexts = { filter: "", condition: plan.conditionWithoutTexts ?? "", values: {} };
    const further = withoutTexts.condition === "" ? [] : await this.#scan(range, need, withoutTexts);
    const ofKeys = await this.#matchesOfKeys(range, need);
    return [...new Set([...covered, ...others, ...further, ...ofKeys])].toSorted(newestFirst).slice(0, need);
  }

  /** Returns the newest matches of a condition in a range. */
  async #scan(
    range: SlotRange,
    need: number,
    of: { readonly filter: string; readonly condition: string; readonly values: SearchPlan["values"] },
  ): Promise<readonly string[]> {
    const { server, sliceMessageCount: messageCount, plan, signal } = this.#query;
    const scan = { server, messageCount, ...of, values: { ...plan.values, ...of.values } };
    return await scanRange(this.#session, scan, { range, need, signal });
  }

  /** Returns the newest matches in a range with one of the keys that make a message a candidate. */
  async #matchesOfKeys({ first, last }: SlotRange, need: number): Promise<readonly string[]> {
    const { server, epoch, plan } = this.#query;
    const found: string[] = [];
    let { otherKeys: keys } = plan;
    for (let newest = last; keys.length > 0 && found.length < need && first <= newest;) {
      stopWhenLeft(this.#query.signal);
      const rows = await this.#session.query<{ slot: string }>(
        `select distinct a.slot from unnest($3::uuid[]) as k(key) cross join lateral (
           select slot from address where server_id = $1 and epoch = $2 and key = k.key and slot between $4 and $5
           order by slot desc limit ${candidateCountMax}
         ) a order by a.slot desc limit ${candidateCountMax}`,
        [server, epoch, uuidArray(keys), first, newest],
      );
      const slots = rows.map(({ slot }) => slot);
      found.push(...(await this.#compare(slots.map(bytesOfSlot), need - found.length)));
      const oldest = slots.at(-1);
      if (oldest === undefined || slots.length < candidateCountMax) keys = [];
      else newest = predecessor(oldest);
    }
    return found;
  }

  #take(slots: readonly string[], { skip, need }: Wanted): void {
    for (const slot of slots) {
      this.#count += 1;
      if (this.#count > skip && this.#count < need) this.#onPage.push(slot);
    }
  }

  /** Returns the newest matches among candidates, given newest first, at most `need`. */
  async #compare(candidates: readonly Uint8Array[], need: number): Promise<readonly string[]> {
    const found: string[] = [];
    let count = candidateCountFew;
    for (let start = 0; start < candidates.length && found.length < need;) {
      stopWhenLeft(this.#query.signal);
      const some = candidates.slice(start, start + count);
      found.push(...(await this.#matchesOf(some)));
      start += count;
      count = Math.min(count * growthFactor, candidateCountMax);
    }
    return found.slice(0, need);
  }

  async #matchesOf(candidates: readonly Uint8Array[]): Promise<readonly string[]> {
    const { server, epoch, plan } = this.#query;
    const { sql, parameters } = bind(
      `select c.slot from unnest(:slots::uuid[]) as c(slot) cross join lateral (
         select ${comparedColumns} from message
         where server_id = :server::bigint and epoch = :epoch::bigint and slot = c.slot offset 0
       ) m where ${plan.wholeCondition}`,
      { ...plan.values, server, epoch, slots: uuidArray(candidates) },
    );
    const rows = await this.#session.query<{ slot: string }>(sql, parameters);
    return rows.map(({ slot }) => slot).toSorted(newestFirst);
  }

  async #summaries(): Promise<string | null> {
    if (this.#onPage.length === 0) return null;
    const { server, epoch, plan } = this.#query;
    const rows = await this.#session.query<{ n: number; summary: string }>(
      `select c.n, ${plan.selected} as summary from unnest($3::uuid[]) with ordinality as c(slot, n) cross join lateral (
         select ${comparedColumns} from message where server_id = $1 and epoch = $2 and slot = c.slot offset 0) m`,
      [server, epoch, uuidArray(this.#onPage.map(bytesOfSlot))],
    );
    return rows
      .toSorted((a, b) => a.n - b.n)
      .map(({ summary }) => summary)
      .join(",");
  }
}

function newestFirst(one: string, other: string): number {
  return one < other ? 1 : -1;
}

/** Candidates that were not compared yet. */
class Pending {
  /** Newest first. */
  #slots: readonly Uint8Array[] = [];

  add(slots: readonly Uint8Array[], { first, last }: SlotRange): void {
    const [low, high] = [bytesOfSlot(first), bytesOfSlot(last)];
    const inRange = slots.filter((slot) => Buffer.compare(slot, low) >= 0 && Buffer.compare(slot, high) <= 0);
    const sorted = [...this.#slots, ...inRange].toSorted((a, b) => Buffer.compare(b, a));
    this.#slots = sorted.filter((slot, at) => at === 0 || Buffer.compare(slot, sorted[at - 1] ?? slot) !== 0);
  }

  /** Removes and returns the candidates with at least this slot, newest first. */
  takeFrom(first: string): readonly Uint8Array[] {
    const low = bytesOfSlot(first);
    const end = this.#slots.findIndex((slot) => Buffer.compare(slot, low) < 0);
    const taken = end < 0 ? this.#slots : this.#slots.slice(0, end);
    this.#slots = end < 0 ? [] : this.#slots.slice(end);
    return taken;
  }
}

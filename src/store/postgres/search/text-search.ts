import type { Page } from "../../../core/criteria.ts";
import { Problem } from "../../../core/errors.ts";
import { termsOf } from "../../signatures/text-condition.ts";
import type { Session } from "../connection/database.ts";
import { predecessor, type SlotRange } from "../messages/id-slots.ts";
import type { SegmentLists } from "../text-index/segment-lists.ts";
import { newestFirst } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import { bind } from "../connection/statement.ts";
import type { BoundStatement } from "../connection/statement.ts";
import { IndexedSearch } from "./indexed-search.ts";
import type { IndexProgress } from "./uncovered-messages.ts";

/** Messages that one statement scans by default, so that no statement takes long. */
const sliceMessageCountUsual = 2000;
/** Messages that are scanned before the index is used: a term that most messages contain fills a page from them. */
const firstSliceMessageCountMax = 100;
/** Messages whose scan takes as long as a look-up in the index. */
const lookupMessageCount = 500;

/** Options of searches in texts. */
export interface TextSearchOptions {
  readonly sliceMessageCount?: number | undefined;
  /** Whether searches use the text index. */
  readonly usesIndex: boolean;
  /** Cached segments of the text index. */
  readonly lists: SegmentLists;
}

/** Search in the texts of one server. */
export interface TextQuery {
  /** Number of the server. */
  readonly server: number;
  readonly range: SlotRange;
  readonly page: Page;
  readonly plan: SearchPlan;
  /** Aborts when the caller has disconnected; checked between statements. */
  readonly signal: AbortSignal;
}

/** Matches, and the summaries of those on the page. */
interface Matches {
  readonly count: number;
  readonly json: string | null;
}

/** Matches of a page, one more than its size when there are more, and the position of the server. */
export interface TextPage extends Matches {
  readonly epoch: number;
  readonly sequence: number;
}

interface Slice extends Matches {
  readonly epoch: number;
  readonly sequence: number;
  readonly held: number;
  /** Progress of the text index; `upTo` is null when the server is not indexed. */
  readonly upTo: number | null;
  readonly walkTo: number | null;
  readonly walkSlot: string;
  readonly version: number;
  readonly looked: number;
  /** Oldest slot that was scanned. */
  readonly lowest: string | null;
}

/** Position of a search: what it still needs, and what it has scanned. */
interface Position {
  /** Matches to skip before the page, and up to one after it. */
  readonly skip: number;
  readonly need: number;
  readonly last: string;
}

/**
 * Scans messages newest first, in slices, until a page is full. When the text index is expected to be faster for the rest,
 * it is used, and only messages that are not indexed yet are scanned. The session must read one snapshot along ordered
 * indexes. Returns undefined when there is no such server.
 */
export async function searchTexts(
  session: Session,
  query: TextQuery,
  options: TextSearchOptions,
): Promise<TextPage | undefined> {
  const walk = new Walk(session, query, options);
  for (;;) {
    if (query.signal.aborted) throw new Problem("unavailable", { cause: query.signal.reason });
    const slice = await walk.scanSlice();
    if (slice === undefined) return undefined;
    const { epoch, sequence } = slice;
    if (walk.isOver) return { epoch, sequence, ...walk.found() };
    const progress = walk.indexFor(slice);
    if (progress === undefined) continue;
    await walk.useIndex(slice, progress);
    return { epoch, sequence, ...walk.found() };
  }
}

/** Search in progress. */
class Walk {
  readonly #session: Session;
  readonly #query: TextQuery;
  readonly #lists: SegmentLists;
  readonly #sliceMessageCount: number;
  readonly #isIndexable: boolean;
  /** Matches before the page, and up to one after it. */
  readonly #offset: number;
  readonly #end: number;
  readonly #found: string[] = [];
  #seen = 0;
  #looked = 0;
  #isOver = false;
  #last: string;

  constructor(
    session: Session,
    query: TextQuery,
    { sliceMessageCount = sliceMessageCountUsual, usesIndex, lists }: TextSearchOptions,
  ) {
    const { page, plan, range } = query;
    this.#session = session;
    this.#query = query;
    this.#lists = lists;
    this.#sliceMessageCount = sliceMessageCount;
    this.#isIndexable = usesIndex && termsOf(plan.indexed).length > 0;
    this.#offset = firstIndex(page);
    this.#end = this.#offset + page.itemsPerPage + 1;
    this.#last = range.last;
  }

  /** Whether the page is full or all messages were scanned. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Matches of the page. */
  found(): Matches {
    const json = this.#found.length === 0 ? null : this.#found.join(",");
    return { count: Math.max(0, this.#seen - this.#offset), json };
  }

  async scanSlice(): Promise<Slice | undefined> {
    const isFirst = this.#looked === 0 && this.#isIndexable && this.#query.plan.slot === "m.slot";
    const messageCount = isFirst
      ? Math.min(firstSliceMessageCountMax, this.#sliceMessageCount)
      : this.#sliceMessageCount;
    const { sql, parameters } = writeSlice(this.#query, this.#position(), messageCount);
    const [slice] = await this.#session.query<Slice>(sql, parameters);
    this.#take(slice);
    this.#looked += messageCount;
    const lowest = slice?.lowest ?? this.#query.range.first;
    this.#isOver = this.#seen >= this.#end || slice?.looked !== messageCount || lowest <= this.#query.range.first;
    this.#last = predecessor(lowest);
    return slice;
  }

  /** Returns the progress of the index when it should be used for the rest after a slice. */
  indexFor({ upTo, walkTo, walkSlot, held }: Slice): IndexProgress | undefined {
    const [seen, looked, need] = [this.#seen, this.#looked, this.#end - this.#seen];
    const isUsed = this.#isIndexable && upTo !== null && isSooner({ seen, looked, need, held });
    return isUsed ? { upTo, walkTo, walkSlot } : undefined;
  }

  async useIndex({ epoch, sequence, version }: Slice, progress: IndexProgress): Promise<void> {
    const { server, plan, page, range, signal } = this.#query;
    const search = new IndexedSearch(this.#session, {
      server,
      epoch,
      sequence,
      plan,
      progress,
      lists: this.#lists,
      version,
      signal,
      direction: page.direction,
      sliceMessageCount: this.#sliceMessageCount,
    });
    const { skip, need } = this.#position();
    const isRare = this.#seen === 0;
    const found = await search.find({ first: range.first, last: this.#last }, { skip, need, isRare });
    this.#take(found);
  }

  #take(matches: Matches | undefined): void {
    this.#seen += matches?.count ?? 0;
    if (typeof matches?.json === "string") this.#found.push(matches.json);
  }

  #position(): Position {
    return { skip: Math.max(0, this.#offset - this.#seen), need: this.#end - this.#seen, last: this.#last };
  }
}

/**
 * Returns true when the index compares fewer messages than further slices would, if matches stay as frequent as so far: the
 * index compares the matches of the page, slices all messages until it is full.
 */
export function isSooner(of: {
  readonly seen: number;
  readonly looked: number;
  readonly need: number;
  readonly held: number;
}): boolean {
  const frequency = Math.max(of.seen, 0.5) / of.looked;
  const compared = Math.min(of.need, of.held * frequency);
  return Math.min(of.need / frequency, of.held - of.looked) > 2 * compared + lookupMessageCount;
}

/** Returns the index of the first message of a page; infinite when the product is not a safe integer. */
export function firstIndex(page: Page): number {
  return Math.min(page.page * page.itemsPerPage, Number.MAX_SAFE_INTEGER);
}

/** Numbers the matches and joins the summaries of those on the page. */
const gathered = (found: string): string => `
  select count(*) as count, string_agg(summary, ',' order by slot desc) filter (where n > :skip::bigint and n <= :shown::bigint) as json
  from (select slot, summary, row_number() over (order by slot desc) as n from (${found}) f) q`;

/** Writes the statement for the next messages of the source, which returns one {@link Slice}. */
function writeSlice({ server, plan, range }: TextQuery, position: Position, messageCount: number): BoundStatement {
  const name = plan.slot.charAt(0);
  const keys = plan.keys.map((key) => `${name}.${key}`).join(", ");
  const looked = `select ${keys}, case when ${plan.condition} then ${plan.selected} end as summary from ${plan.source}
    order by ${newestFirst(plan, name)} limit :messages::bigint`;
  const found = "select slot, summary from looked where summary is not null order by slot desc limit :need::bigint";
  const text = `with looked as materialized (${looked})
    select s.epoch, s.sequence, s.received_count + s.sent_count as held, p.count, p.json,
      i.up_to as "upTo", i.walk_to as "walkTo", i.walk_slot as "walkSlot", i.version,
      (select count(*) from looked) as looked, (select slot from looked order by slot limit 1) as lowest
    from server s left join text_progress i on i.server_id = :server::bigint and i.epoch = s.epoch
    cross join lateral (${gathered(found)}) p where s.server_id = :server::bigint`;
  const { skip, need, last } = position;
  const values = { ...plan.values, server, first: range.first, last, skip, need, shown: need - 1 };
  return bind(text, { ...values, messages: messageCount });
}

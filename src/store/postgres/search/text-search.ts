import type { Page } from "../../../core/criteria.ts";
import { Problem } from "../../../core/errors.ts";
import type { Session } from "../connection/database.ts";
import type { SlotRange } from "../messages/id-slots.ts";
import { allMessages, laterThan, newestFirst } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import { bind } from "../connection/statement.ts";
import type { BoundStatement } from "../connection/statement.ts";
import type { Alphabet } from "../text-index/text-index-setup.ts";

/** Messages that one statement scans by default, so that no statement takes long. */
const sliceMessageCountUsual = 2000;

/** Options of searches in texts. */
export interface TextSearchOptions {
  readonly sliceMessageCount?: number | undefined;
  /** Letters that the index of bodies contains; null when there is no index. */
  readonly index: { readonly alphabet: Alphabet } | null;
}

/** Search in the texts of one server. */
export interface TextQuery {
  /** Number of the server. */
  readonly server: number;
  readonly range: SlotRange;
  readonly page: Page;
  readonly plan: SearchPlan;
  /** Folded text that bodies must contain, if any. */
  readonly body: string | undefined;
  /** Aborts when the caller has disconnected; checked between slices. */
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
  /** Messages with numbers up to this are indexed. */
  readonly indexed: number;
  /** Newest slot that was not scanned; null when there is none, or when the page is full. */
  readonly next: string | null;
}

/** Position of a search: what it still needs, and what it has scanned. */
interface Position {
  /** Matches to skip before the page, and up to one after it. */
  readonly skip: number;
  readonly need: number;
  readonly last: string;
}

/** For slices: follows the ordered index. */
const alongIndex =
  "set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off; set local jit = off; " +
  "set transaction isolation level repeatable read";
/** For the trigram index, which is not ordered. */
const byGrams = "set local enable_bitmapscan = on; set local enable_sort = on";

/**
 * Scans messages newest first, in slices, until a page is full. When the index of bodies is expected to be faster for the
 * rest, it is used, and only messages that are not indexed yet are scanned. The transaction must be new: the whole page is
 * of one snapshot. Returns undefined when there is no such server.
 */
export async function searchTexts(
  session: Session,
  query: TextQuery,
  options: TextSearchOptions,
): Promise<TextPage | undefined> {
  const walk = new Walk(session, query, options);
  await session.query(alongIndex);
  for (;;) {
    if (query.signal.aborted) throw new Problem("unavailable", { cause: query.signal.reason });
    const slice = await walk.lookAtSlice();
    if (slice === undefined) return undefined;
    const { epoch, sequence, next } = slice;
    if (next === null) return { epoch, sequence, ...walk.found() };
    if (!walk.isLeftToIndex(slice)) continue;
    await session.query(byGrams);
    await walk.askIndex(slice);
    return { epoch, sequence, ...walk.found() };
  }
}

/** Search in progress. */
class Walk {
  readonly #session: Session;
  readonly #query: TextQuery;
  readonly #sliceMessageCount: number;
  readonly #isIndexable: boolean;
  /** Matches before the page, and up to one after it. */
  readonly #offset: number;
  readonly #end: number;
  readonly #found: string[] = [];
  #seen = 0;
  #looked = 0;
  #last: string;

  constructor(
    session: Session,
    query: TextQuery,
    { sliceMessageCount = sliceMessageCountUsual, index }: TextSearchOptions,
  ) {
    const { page, plan, body = "", range } = query;
    this.#session = session;
    this.#query = query;
    this.#sliceMessageCount = sliceMessageCount;
    this.#isIndexable = index !== null && plan.besideBody !== null && hasGrams(body, index.alphabet);
    this.#offset = firstIndex(page);
    this.#end = this.#offset + page.itemsPerPage + 1;
    this.#last = range.last;
  }

  /** Matches of the page. */
  found(): Matches {
    const json = this.#found.length === 0 ? null : this.#found.join(",");
    return { count: Math.max(0, this.#seen - this.#offset), json };
  }

  async lookAtSlice(): Promise<Slice | undefined> {
    const slice = await this.#take<Slice>(writeSlice(this.#query, this.#position(), this.#sliceMessageCount));
    this.#looked += this.#sliceMessageCount;
    this.#last = slice?.next ?? this.#last;
    return slice;
  }

  /** Returns true when the index should be used for the rest after a slice. */
  isLeftToIndex({ indexed, held }: Slice): boolean {
    const [seen, looked, need] = [this.#seen, this.#looked, this.#end - this.#seen];
    return this.#isIndexable && indexed > 0 && isSooner({ seen, looked, need, held });
  }

  async askIndex(slice: Slice): Promise<void> {
    await this.#take(writeRest(this.#query, this.#position(), slice));
  }

  async #take<Row extends Matches>({ sql, parameters }: BoundStatement): Promise<Row | undefined> {
    const [row] = await this.#session.query<Row>(sql, parameters);
    this.#seen += row?.count ?? 0;
    if (typeof row?.json === "string") this.#found.push(row.json);
    return row;
  }

  #position(): Position {
    return { skip: Math.max(0, this.#offset - this.#seen), need: this.#end - this.#seen, last: this.#last };
  }
}

/**
 * Returns true when a text contains three letters or digits in a row that the index contains: without a trigram the index
 * would return all messages.
 */
export function hasGrams(text: string, alphabet: Alphabet): boolean {
  return (alphabet === "any" ? /[\p{L}\p{Nd}]{3}/u : /[a-z0-9]{3}/).test(text);
}

/**
 * Returns true when the index reads fewer messages than further slices would, if matches stay as frequent as so far: the
 * index reads every match, slices read every message until the page is full.
 */
export function isSooner(of: {
  readonly seen: number;
  readonly looked: number;
  readonly need: number;
  readonly held: number;
}): boolean {
  const frequency = Math.max(of.seen, 0.5) / of.looked;
  return of.held * frequency < Math.min(of.need / frequency, of.held);
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
function writeSlice(query: TextQuery, position: Position, messageCount: number): BoundStatement {
  const { plan } = query;
  const name = plan.slot.charAt(0);
  const keys = plan.keys.map((key) => `${name}.${key}`).join(", ");
  const looked = `select ${keys}, m.summary, m.subject, m.body, m.addresses from ${plan.source}
    order by ${newestFirst(plan, name)} limit :messages::bigint`;
  const found = `select m.slot, m.summary from (${looked}) m where ${plan.condition}
    order by ${newestFirst(plan, "m")} limit :need::bigint`;
  const text = `select s.epoch, s.sequence, s.received_count + s.sent_count as held, p.count, p.json,
      coalesce((select up_to from text_index where server_id = :server::bigint and epoch = s.epoch), 0) as indexed,
      case when p.count < :need::bigint then (
        select ${plan.slot} from ${plan.source} order by ${newestFirst(plan, name)} limit 1 offset :messages::bigint
      ) end as next
    from server s cross join lateral (${gathered(found)}) p where s.server_id = :server::bigint`;
  return bind(text, { ...valuesOf(query, position), messages: messageCount });
}

/** Writes the statement for all remaining messages, by the index up to a number and by a scan after it, which returns {@link Matches}. */
function writeRest(
  query: TextQuery,
  position: Position,
  { indexed, epoch }: Pick<Slice, "indexed" | "epoch">,
): BoundStatement {
  const { plan } = query;
  const besideBody = plan.besideBody === null || plan.besideBody === "" ? "" : `and ${plan.besideBody}`;
  const found = `
    select t.slot, m.summary
    from (
      (select server_id, slot, false as is_long from indexed_text
       where epoch + 0 = :epoch::bigint and body like :body::text offset 0)
      union all
      (select server_id, slot, true from indexed_text
       where server_id = :server::bigint and epoch = :epoch::bigint and body = '' offset 0)
    ) t
    cross join lateral (
      select sequence, summary, subject, addresses from message
      where server_id = :server::bigint and epoch = :epoch::bigint and slot = t.slot
        and (not t.is_long or body like :body::text) offset 0
    ) m
    where t.server_id = :server::bigint and t.slot between :first::uuid and :last::uuid
      and m.sequence <= :indexed::bigint ${besideBody}
    union all
    select m.slot, m.summary from ${allMessages} and ${laterThan("m.slot", ":indexed::bigint", ":top::uuid")}
      and m.body like :body::text ${besideBody}`;
  const text = gathered(`select slot, summary from (${found}) u order by slot desc limit :need::bigint`);
  return bind(text, { ...valuesOf(query, position), indexed, epoch, top: query.range.last });
}

function valuesOf(query: TextQuery, { skip, need, last }: Position): Readonly<Record<string, unknown>> {
  const { server, plan, range } = query;
  return { ...plan.values, server, first: range.first, last, skip, need, shown: need - 1 };
}

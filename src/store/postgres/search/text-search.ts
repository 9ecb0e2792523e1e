import type { Page } from "../../../core/criteria.ts";
import { Problem } from "../../../core/errors.ts";
import type { Session } from "../connection/database.ts";
import type { SlotRange } from "../messages/id-slots.ts";
import { allMessages, laterThan, newestFirst } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import { bind } from "../connection/statement.ts";
import type { BoundStatement } from "../connection/statement.ts";
import type { Alphabet } from "../text-index/text-index-setup.ts";

/** Messages that one statement looks at, so that none takes long. */
const sliceMessageCountUsual = 2000;

/** How texts are searched. */
export interface TextSearchOptions {
  readonly sliceMessageCount?: number | undefined;
  /** What the index of bodies knows; null where there is none. */
  readonly index: { readonly alphabet: Alphabet } | null;
}

/** What is asked of one server. */
export interface TextQuestion {
  /** The server's number. */
  readonly server: number;
  readonly range: SlotRange;
  readonly page: Page;
  readonly plan: SearchPlan;
  /** The folded text that bodies must contain, if any. */
  readonly body: string | undefined;
  /** Aborts when nobody waits for the answer any more; looked at between slices. */
  readonly signal: AbortSignal;
}

/** Matches, and the summaries of those that belong on the page. */
interface Matches {
  readonly count: number;
  readonly json: string | null;
}

/** What was found of a page, one more than it holds where there are more, and where the server stood then. */
export interface TextAnswer extends Matches {
  readonly epoch: number;
  readonly sequence: number;
}

interface Slice extends Matches {
  readonly epoch: number;
  readonly sequence: number;
  readonly held: number;
  /** Messages with numbers up to this are indexed. */
  readonly indexed: number;
  /** The newest slot that was not looked at; null where there is none, or enough was found. */
  readonly next: string | null;
}

/** Where a search is: what it still needs, and what it has seen. */
interface Position {
  /** Matches to pass over before the page, and up to one behind it. */
  readonly skip: number;
  readonly need: number;
  readonly last: string;
}

/** For slices: along the index, and no further than they are asked for. */
const alongIndex =
  "set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off; set local jit = off; " +
  "set transaction isolation level repeatable read";
/** For the index of trigrams, which knows no order. */
const byGrams = "set local enable_bitmapscan = on; set local enable_sort = on";

/**
 * Looks at messages one by one, newest first, in slices, until a page is full. Where that will be long and the index of
 * bodies leads there sooner, it finds what is left, and only what came after it is looked at. The transaction must be new:
 * all of the answer is of one moment. Undefined when there is no such server.
 */
export async function searchTexts(
  session: Session,
  question: TextQuestion,
  options: TextSearchOptions,
): Promise<TextAnswer | undefined> {
  const walk = new Walk(session, question, options);
  await session.query(alongIndex);
  for (;;) {
    if (question.signal.aborted) throw new Problem("unavailable", { cause: question.signal.reason });
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

/** A search under way. */
class Walk {
  readonly #session: Session;
  readonly #question: TextQuestion;
  readonly #sliceMessageCount: number;
  readonly #isIndexable: boolean;
  /** Matches before the page, and up to one behind it. */
  readonly #offset: number;
  readonly #end: number;
  readonly #found: string[] = [];
  #seen = 0;
  #looked = 0;
  #last: string;

  constructor(
    session: Session,
    question: TextQuestion,
    { sliceMessageCount = sliceMessageCountUsual, index }: TextSearchOptions,
  ) {
    const { page, plan, body = "", range } = question;
    this.#session = session;
    this.#question = question;
    this.#sliceMessageCount = sliceMessageCount;
    this.#isIndexable = index !== null && plan.besideBody !== null && hasGrams(body, index.alphabet);
    this.#offset = firstIndex(page);
    this.#end = this.#offset + page.itemsPerPage + 1;
    this.#last = range.last;
  }

  /** What was found of the page. */
  found(): Matches {
    const json = this.#found.length === 0 ? null : this.#found.join(",");
    return { count: Math.max(0, this.#seen - this.#offset), json };
  }

  async lookAtSlice(): Promise<Slice | undefined> {
    const slice = await this.#take<Slice>(writeSlice(this.#question, this.#position(), this.#sliceMessageCount));
    this.#looked += this.#sliceMessageCount;
    this.#last = slice?.next ?? this.#last;
    return slice;
  }

  /** Whether the index should find what is left after a slice. */
  isLeftToIndex({ indexed, held }: Slice): boolean {
    const [seen, looked, need] = [this.#seen, this.#looked, this.#end - this.#seen];
    return this.#isIndexable && indexed > 0 && isSooner({ seen, looked, need, held });
  }

  async askIndex(slice: Slice): Promise<void> {
    await this.#take(writeRest(this.#question, this.#position(), slice));
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
 * Whether a text holds three letters or digits in a row, of those that the index knows: shorter runs are in no trigram, and
 * a term without any would have it answer with all messages.
 */
export function hasGrams(text: string, alphabet: Alphabet): boolean {
  return (alphabet === "any" ? /[\p{L}\p{Nd}]{3}/u : /[a-z0-9]{3}/).test(text);
}

/**
 * Whether the index looks at fewer messages than going on would, when matches are as frequent as so far: it has to look at
 * every match, going on at every message until there are enough.
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

/** Index of a page's first message; beyond any count when the numbers are too large to multiply. */
export function firstIndex(page: Page): number {
  return Math.min(page.page * page.itemsPerPage, Number.MAX_SAFE_INTEGER);
}

/** Numbers what was found, and joins what belongs on the page. */
const gathered = (found: string): string => `
  select count(*) as count, string_agg(summary, ',' order by slot desc) filter (where n > :skip::bigint and n <= :shown::bigint) as json
  from (select slot, summary, row_number() over (order by slot desc) as n from (${found}) f) q`;

/** The next messages of the source; answers one {@link Slice}. */
function writeSlice(question: TextQuestion, position: Position, messageCount: number): BoundStatement {
  const { plan } = question;
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
  return bind(text, { ...valuesOf(question, position), messages: messageCount });
}

/** All that is left, by the index up to a number and one by one after it; answers {@link Matches}. */
function writeRest(
  question: TextQuestion,
  position: Position,
  { indexed, epoch }: Pick<Slice, "indexed" | "epoch">,
): BoundStatement {
  const { plan } = question;
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
  return bind(text, { ...valuesOf(question, position), indexed, epoch, top: question.range.last });
}

function valuesOf(question: TextQuestion, { skip, need, last }: Position): Readonly<Record<string, unknown>> {
  const { server, plan, range } = question;
  return { ...plan.values, server, first: range.first, last, skip, need, shown: need - 1 };
}

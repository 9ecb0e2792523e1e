import type { Page } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import { SearchQueue } from "../../search-queue.ts";
import type { FoldedCriteria, SearchPage, SummaryPage } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf, slotsWithin } from "./id-slots.ts";
import { NoMatches } from "../search/no-matches.ts";
import { laterThan, newestFirst, planSearch, wholePlan } from "../search/search-plan.ts";
import type { SearchPlan } from "../search/search-plan.ts";
import { bind } from "../connection/statement.ts";
import type { BoundStatement } from "../connection/statement.ts";
import { firstIndex, searchTexts } from "../search/text-search.ts";
import type { TextAnswer, TextSearchOptions } from "../search/text-search.ts";

/** What is asked of one server. */
export interface Question {
  readonly server: ServerId;
  readonly page: Page;
  readonly plan: SearchPlan;
  /** The server is known to hold no match among the changes up to this number, as long as it has this epoch. */
  readonly noMatch: { readonly epoch: number; readonly upTo: number } | undefined;
}

interface AnswerRow extends TextAnswer {
  readonly received_count: number;
  readonly sent_count: number;
}

const noBytes = new Uint8Array(0);

/** Searches that may take connections for long; there are more connections than that. */
const searchLimits = { runningCountMax: 8, runningPerCallerCountMax: 2 };

/** Pages of messages: lists and searches; all of an answer is of one moment. */
export class Pages {
  readonly #database: Database;
  readonly #noMatches = new NoMatches();
  readonly #textSearch: TextSearchOptions;
  readonly #queue = new SearchQueue<TextAnswer | undefined>(searchLimits);

  constructor(database: Database, textSearch: TextSearchOptions) {
    this.#database = database;
    this.#textSearch = textSearch;
  }

  /** As `listMessages` of the contract. */
  async list(server: ServerId, page: Page): Promise<SummaryPage> {
    const row = await this.#ask({ server, page, plan: wholePlan, noMatch: undefined });
    if (row === undefined) return emptyPage();
    const isWhole = page.receivedAfter === null && page.before === undefined && (page.afterSequence ?? 0) === 0;
    const held = page.direction === "Sent" ? row.sent_count : row.received_count;
    return toPage(page, row, isWhole ? held : null);
  }

  /** As `searchMessages` of the contract. */
  async search(server: ServerId, criteria: FoldedCriteria, wanted: SearchPage): Promise<SummaryPage> {
    const { caller = server, signal, ...page } = wanted;
    const noMatch = this.#noMatches.recall(server, criteria, page);
    const question = { server, page, plan: planSearch(criteria), noMatch };
    const row = isShort(question)
      ? await this.#ask(question)
      : await this.#askInTurn(question, { criteria, caller, signal });
    if (row === undefined) return emptyPage();
    const sawAllBefore = (page.afterSequence ?? 0) <= (noMatch?.epoch === row.epoch ? noMatch.upTo : 0);
    if (row.count === 0 && page.page === 0 && sawAllBefore) {
      this.#noMatches.remember({ server, criteria, page }, { epoch: row.epoch, upTo: row.sequence });
    }
    return toPage(page, row, null);
  }

  async #askInTurn(
    question: Question,
    asked: { readonly criteria: FoldedCriteria; readonly caller: string; readonly signal: AbortSignal | undefined },
  ): Promise<TextAnswer | undefined> {
    const { criteria, caller, signal } = asked;
    const turn = { caller, question: JSON.stringify([question.server, question.page, criteria]), signal };
    return await this.#queue.run(turn, async (left) => await this.#askTexts(question, criteria.body, left));
  }

  async #askTexts(question: Question, body: string | undefined, signal: AbortSignal): Promise<TextAnswer | undefined> {
    const { server, page, plan } = question;
    const range = slotsWithin(server, page);
    if (!plan.readsTexts || range === undefined) return await this.#ask(question);
    return await this.#database.transact((session) =>
      searchTexts(session, { server: serverNumberOf(server), range, page, plan, body, signal }, this.#textSearch),
    );
  }

  async #ask(question: Question): Promise<AnswerRow | undefined> {
    const { sql, parameters } = writePage(question);
    if (isShort(question)) return (await this.#database.query<AnswerRow>(sql, parameters))[0];
    return await this.#database.transact(async (session) => {
      await session.query(inOrder);
      return (await session.query<AnswerRow>(sql, parameters))[0];
    });
  }
}

/**
 * For questions that pass over many messages: the planner, who expects few matches, would rather look at all of a server
 * and sort what is left than follow the index and stop when the page is full.
 */
export const inOrder: string =
  "set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off; set local jit = off";

/** Pages that end beyond this index are far down. */
const shortIndexMax = 200;

/** Whether an index leads straight to the page, or what came after a number is all there is to look at. */
function isShort({ page, plan, noMatch }: Question): boolean {
  if ((page.afterSequence ?? 0) > 0 || noMatch !== undefined) return true;
  return !plan.readsTexts && firstIndex(page) + page.itemsPerPage <= shortIndexMax;
}

/** The statement that answers a question with one {@link AnswerRow}, or none where there is no such server. */
export function writePage({ server, page, plan, noMatch }: Question): BoundStatement {
  const range = slotsWithin(server, page);
  const after = page.afterSequence ?? 0;
  const isBounded = after > 0 || noMatch !== undefined;
  const conditions = [plan.condition, isBounded ? laterThan(plan.slot, boundOf(noMatch)) : ""].filter(
    (one) => one !== "",
  );
  const rows = `select ${plan.slot}, m.summary from ${[plan.source, ...conditions].join(" and ")}
    order by ${newestFirst(plan, plan.slot.charAt(0))} limit :limit::bigint + 1 offset :offset::bigint`;
  // Whatever is later than any id can be is nowhere.
  const found = range === undefined ? "select null::uuid as slot, ''::text as summary where false" : rows;
  const text = `select s.epoch, s.sequence, s.received_count, s.sent_count, p.count, p.json
    from server s cross join lateral (
      select count(*) as count, string_agg(summary, ',' order by slot desc) filter (where n <= :limit::bigint) as json
      from (select slot, summary, row_number() over (order by slot desc) as n from (${found}) f) q
    ) p where s.server_id = :server::bigint`;
  return bind(text, {
    ...plan.values,
    server: serverNumberOf(server),
    first: range?.first,
    last: range?.last,
    limit: page.itemsPerPage,
    offset: firstIndex(page),
    after,
    noMatchEpoch: noMatch?.epoch,
    noMatchUpTo: noMatch?.upTo,
  });
}

/** The number after which messages count. */
function boundOf(noMatch: Question["noMatch"]): string {
  return noMatch === undefined
    ? ":after::bigint"
    : `(select case when epoch = :noMatchEpoch::bigint then greatest(:noMatchUpTo::bigint, :after::bigint)
         else :after::bigint end from server where server_id = :server::bigint)`;
}

function toPage(page: Page, row: TextAnswer, held: number | null): SummaryPage {
  const count = Math.min(row.count, page.itemsPerPage);
  const hasMore = row.count > page.itemsPerPage;
  const json = row.json === null ? noBytes : Buffer.from(row.json);
  return { json, count, hasMore, total: held ?? totalOf(page, { count, hasMore }), cursor: row.sequence };
}

/** What the last page of a result tells about all of it. */
function totalOf(page: Page, end: { readonly count: number; readonly hasMore: boolean }): number | null {
  if (end.hasMore || page.before !== undefined || (end.count === 0 && page.page > 0)) return null;
  return firstIndex(page) + end.count;
}

function emptyPage(): SummaryPage {
  return { json: noBytes, count: 0, hasMore: false, total: 0, cursor: 0 };
}

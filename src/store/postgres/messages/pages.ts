import type { FoundMessages } from "../../mark-store.ts";
import type { Page } from "../../../core/criteria.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { hasTerm, type SearchExpression } from "../../../core/search/search-expression.ts";
import { planSearch, laterThan, newestFirst, wholePlan, type SearchPlan } from "../search/search-plan.ts";
import { withinBounds, emptyPage, firstIndex, totalOf } from "../../page-bounds.ts";
import { SearchQueue } from "../../search-queue.ts";
import type { FindPage, SearchPage, SummaryPage } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf, slotsWithin } from "./id-slots.ts";
import { bind, type BoundStatement } from "../connection/parameters.ts";
import { gathered } from "../search/scan-slice.ts";
import { searchTexts, type TextPage, type TextSearchOptions } from "../search/text-search.ts";
import { SegmentLists } from "../text-index/segment-lists.ts";

/** Query of one page of a server. */
export interface PageQuery {
  readonly server: ServerId;
  readonly page: Page;
  readonly plan: SearchPlan;
}

interface PageRow extends TextPage {
  readonly received_count: number;
  readonly sent_count: number;
}

const noBytes = new Uint8Array(0);

/** Limits of searches that hold a connection for long; the pool has more connections. */
const searchLimits = { runningCountMax: 8, runningPerCallerCountMax: 2 };

/** Pages of lists and searches; each page is of one snapshot. */
export class Pages {
  readonly #database: Database;
  readonly #textSearch: TextSearchOptions;
  readonly #queue = new SearchQueue<TextPage | undefined>(searchLimits);

  constructor(database: Database, textSearch: Omit<TextSearchOptions, "lists">) {
    this.#database = database;
    this.#textSearch = { ...textSearch, lists: new SegmentLists() };
  }

  /** Implements `listMessages` of the contract. */
  async list(server: ServerId, page: Page): Promise<SummaryPage> {
    const row = await this.#query({ server, page, plan: wholePlan });
    if (row === undefined) return emptyPage(0);
    const isWhole = page.receivedAfter === null && page.before === undefined && (page.afterSequence ?? 0) === 0;
    const held = page.direction === "Sent" ? row.sent_count : row.received_count;
    return toPage(page, row, isWhole ? held : null);
  }

  /** Implements `searchMessages` of the contract. */
  async search(server: ServerId, expression: SearchExpression, wanted: SearchPage): Promise<SummaryPage> {
    const row = await this.#searchBy(server, expression, { wanted, selected: "m.summary" });
    return row === undefined ? emptyPage(0) : toPage(wanted, row, null);
  }

  /** Implements `findMessages` of the contract. */
  async find(server: ServerId, expression: SearchExpression, wanted: FindPage): Promise<FoundMessages> {
    const selected = wanted.countOnly === true ? "''::text" : "m.id::text || ' ' || m.sequence";
    const row = await this.#searchBy(server, expression, { wanted, selected });
    if (row === undefined) return { identities: [], count: 0, cursor: 0, hasMore: false };
    const identities = (row.json ?? "").split(",").flatMap((found) => {
      const [id = "", sequence] = found.split(" ");
      return sequence === undefined ? [] : [{ id: id as MessageId, sequence: Number(sequence) }];
    });
    const count = Math.min(row.count, wanted.itemsPerPage);
    return { identities, count, cursor: row.sequence, hasMore: row.count > count };
  }

  async #searchBy(
    server: ServerId,
    expression: SearchExpression,
    { wanted, selected }: { readonly wanted: FindPage; readonly selected: string },
  ): Promise<TextPage | undefined> {
    const { caller = server, signal, ...within } = wanted;
    const { direction } = within;
    const hasTags = hasTerm(expression, "tagged", "tag", "tagText");
    const tags = hasTags ? await this.#tagsOf(server) : [];
    const plan = { ...planSearch(expression, { server, direction, tags }), selected };
    const query = { server, page: withinBounds(within, server, expression), plan };
    return isShort(query)
      ? await this.#query(query)
      : await this.#queueSearch(query, { asked: [selected, expression], caller, signal });
  }

  /** Returns the tags of the marks of a server. */
  async #tagsOf(server: ServerId): Promise<readonly string[]> {
    const rows = await this.#database.query<{ tag: string }>(
      `select distinct t.tag from mark k cross join lateral json_array_elements_text(k.tags::json) as t(tag)
       where k.server_id = $1 and k.epoch = (select epoch from server where server_id = $1) and k.tags <> '[]'`,
      [serverNumberOf(server)],
    );
    return rows.map(({ tag }) => tag);
  }

  async #queueSearch(
    query: PageQuery,
    {
      asked,
      caller,
      signal,
    }: { readonly asked: unknown; readonly caller: string; readonly signal: AbortSignal | undefined },
  ): Promise<TextPage | undefined> {
    const turn = { caller, query: JSON.stringify([query.server, query.page, asked]), signal };
    return await this.#queue.run(turn, async (left) => await this.#searchTexts(query, left));
  }

  async #searchTexts(query: PageQuery, signal: AbortSignal): Promise<TextPage | undefined> {
    const { server, page, plan } = query;
    const range = slotsWithin(server, page);
    if (plan.condition === "" || range === undefined) return await this.#query(query);
    return await this.#database.read(inOrder, (session) =>
      searchTexts(session, { server: serverNumberOf(server), range, page, plan, signal }, this.#textSearch),
    );
  }

  async #query(query: PageQuery): Promise<PageRow | undefined> {
    const { sql, parameters } = writePage(query);
    if (isShort(query)) return (await this.#database.query<PageRow>(sql, parameters))[0];
    const rows = await this.#database.read(inOrder, (session) => session.query<PageRow>(sql, parameters));
    return rows[0];
  }
}

/**
 * Planner settings for queries that skip or compare many messages: the planner expects few matches and would scan and sort the
 * whole server instead of following the index until the page is full.
 */
export const inOrder: string =
  "set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off; set local jit = off";

/** Pages that end beyond this index are read with {@link inOrder}. */
const shortIndexMax = 200;

/** Returns whether an index leads directly to the page, or the query reads only changes after a number. */
function isShort({ page, plan }: PageQuery): boolean {
  if ((page.afterSequence ?? 0) > 0) return true;
  return plan.condition === "" && firstIndex(page) + page.itemsPerPage <= shortIndexMax;
}

/** Writes the statement of a query, which returns one {@link PageRow}, or none when there is no such server. */
export function writePage({ server, page, plan }: PageQuery): BoundStatement {
  const range = slotsWithin(server, page);
  const after = page.afterSequence ?? 0;
  const conditions = [plan.condition, after > 0 ? laterThan(plan.slot) : ""].filter((one) => one !== "");
  const rows = `select ${plan.slot}, ${plan.selected} as summary from ${[plan.source, ...conditions].join(" and ")}
    order by ${newestFirst(plan, plan.slot.charAt(0))} limit :limit::bigint + 1 offset :offset::bigint`;
  // An instant later than any id matches nothing.
  const found = range === undefined ? "select null::uuid as slot, ''::text as summary where false" : rows;
  const text = `select s.epoch, s.sequence, s.received_count, s.sent_count, p.count, p.json
    from server s cross join lateral (${gathered(found)}) p where s.server_id = :server::bigint`;
  return bind(text, {
    ...plan.values,
    server: serverNumberOf(server),
    first: range?.first,
    last: range?.last,
    limit: page.itemsPerPage,
    offset: firstIndex(page),
    after,
    skip: 0,
    shown: page.itemsPerPage,
  });
}

function toPage(page: Page, row: TextPage, held: number | null): SummaryPage {
  const count = Math.min(row.count, page.itemsPerPage);
  const hasMore = row.count > page.itemsPerPage;
  const json = row.json === null ? noBytes : Buffer.from(row.json);
  return { json, count, hasMore, total: held ?? totalOf(page, { count, hasMore }), cursor: row.sequence };
}

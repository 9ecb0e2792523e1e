import type { StatementSync } from "node:sqlite";
import type { Page } from "../../../core/criteria.ts";
import { idFromBytes, type ServerId } from "../../../core/ids.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import type { FoundMessages, MessageIdentity } from "../../mark-store.ts";
import type { SummaryPage } from "../../store.ts";
import { damagedMessage, withContent, decompressedBytes, type ContentLayout } from "../../content/layout.ts";
import { ignoreDamage, intactSummary, joinByCommas, type OnDamage, layoutColumns } from "../content/content-tables.ts";
import { below, withinBounds, type IdRange, firstIndex, totalOf } from "../../page-bounds.ts";
import { select } from "../messages/pages.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { ServerReads } from "../account/servers.ts";
import type { ChangeReads } from "../messages/changes.ts";
import {
  compareCandidates,
  idsOf,
  writeCandidates,
  type ComparedRow,
  mergeNewest,
  SearchSlice,
} from "./compared-rows.ts";
import type { CandidateDependencies, CandidateFinder, CandidateScope } from "./candidates.ts";
import { countSeen, hasFewRows, planSearch, type PlannedSql, type SearchPlan } from "./search-plan.ts";

const selectBody = `select coalesce(body, detail) as column, ${layoutColumns} from content where number = ?`;
/** Rows compared in one slice. */
const rowCountPerSlice = 4000;

/** Parameters of a search. */
export interface SearchRequest {
  readonly server: ServerId;
  readonly expression: SearchExpression;
  readonly page: Page;
  /** Form of the result: a {@link SummaryPage}, or {@link FoundMessages} with or without ids. */
  readonly result: "summaries" | "ids" | "count";
}

/** Dependencies of {@link Search}. */
export interface SearchDependencies extends CandidateDependencies {
  readonly servers: ServerReads;
  readonly changes: ChangeReads;
  /** Duration of a slice that decompresses bodies or uses the text index; see also {@link SearchSlice}. */
  readonly sliceMsMax: number;
  readonly onDamage?: OnDamage;
}

interface SummaryRow {
  readonly id: Uint8Array;
  readonly summary: Uint8Array;
  readonly checksum: number;
}

/** Parameters that tell which terms a body contains. */
type BodyParameters = Readonly<Record<string, number>>;

/**
 * One search, executed in slices so that other calls do not wait long. Each slice reads its own snapshot; when the server was
 * emptied in between, the search starts again, so that its result never mixes two epochs. With a text index, matches are among
 * its candidates; where the expression does not narrow them, they are rows that match though no body contains any term, and
 * candidates for the terms of bodies. Without an index, every row is compared.
 */
export class Search {
  readonly #dependencies: SearchDependencies;
  readonly #onDamage: OnDamage;
  readonly #request: SearchRequest;
  readonly #body: StatementSync;
  readonly #sequence: StatementSync;
  readonly #summary: StatementSync;
  #plan: SearchPlan | undefined;
  #finder: CandidateFinder | undefined;
  #position: ServerPosition | undefined;
  #afterSequence = 0;
  /** Range that has not been searched yet; null when the search is complete. */
  #rest: IdRange | null = null;
  #toSkip = 0;
  #identities: MessageIdentity[] = [];
  #summaries: Uint8Array[] = [];
  #count = 0;
  #hasMore = false;

  constructor(dependencies: SearchDependencies, request: SearchRequest) {
    const { statements } = dependencies;
    this.#dependencies = dependencies;
    this.#onDamage = dependencies.onDamage ?? ignoreDamage;
    this.#request = request;
    this.#body = statements.get(selectBody);
    this.#sequence = statements.get("select sequence from message where epoch = ? and id = ?");
    this.#summary = statements.get("select id, summary, checksum from message where epoch = ? and id = ?");
  }

  /** Executes one slice within the caller's snapshot; returns the result, undefined when more slices are needed. */
  step(): SummaryPage | FoundMessages | undefined {
    const position = this.#dependencies.servers.position(this.#request.server);
    if (position === undefined) {
      this.#clear();
      return this.#result(0);
    }
    if (position.epoch !== this.#position?.epoch) this.#start(position);
    if (this.#rest !== null && this.#plan !== undefined) {
      this.#rest = this.#searchRange(this.#plan, this.#rest, position.epoch);
    }
    return this.#rest === null ? this.#result(this.#position?.sequence ?? 0) : undefined;
  }

  #result(cursor: number): SummaryPage | FoundMessages {
    const [count, hasMore] = [this.#count, this.#hasMore];
    const { page, result } = this.#request;
    if (result !== "summaries") return { identities: this.#identities, count, hasMore, cursor };
    return { json: joinByCommas(this.#summaries), count, hasMore, total: totalOf(page, { count, hasMore }), cursor };
  }

  #clear(): void {
    this.#identities = [];
    this.#summaries = [];
    this.#count = 0;
    this.#hasMore = false;
  }

  #start(position: ServerPosition): void {
    const { server, page, expression, result } = this.#request;
    const wanted = withinBounds(page, server, expression);
    const selection = select(position, { server, page: wanted, changes: this.#dependencies.changes });
    this.#position = position;
    this.#afterSequence = selection?.afterSequence ?? 0;
    this.#rest = selection?.range ?? null;
    this.#toSkip = firstIndex(page);
    this.#clear();
    const { epoch } = position;
    const { direction } = page;
    this.#plan = planSearch(this.#dependencies, { server, direction, expression, epoch, isCount: result === "count" });
    this.#finder = this.#rest === null ? undefined : this.#worthwhileFinder(this.#plan, this.#rest, position);
  }

  /** Returns the finder of a plan; undefined where the text index does not help, or comparing all rows is faster. */
  #worthwhileFinder(plan: SearchPlan, range: IdRange, position: ServerPosition): CandidateFinder | undefined {
    const scope = this.#scope(range, position);
    if (plan.finder?.isWorthwhile(scope.epoch) !== true) return undefined;
    return hasFewRows(plan, scope, position) ? undefined : plan.finder;
  }

  /** Searches the newest part of a range; returns the remaining range, null when there is none. */
  #searchRange(plan: SearchPlan, range: IdRange, epoch: number): IdRange | null {
    const { position, part, isLast } = this.#nextPart(plan, range, epoch);
    const older = isLast ? null : below(range, part.first);
    const isAllSeen = !isLast && this.#finder === undefined && countSeen(plan, part, epoch) === rowCountPerSlice + 1;
    if (isAllSeen) return older;
    if (!this.#isCountedBySql(plan)) return this.#comparePart(plan, { range, part, older }, position);
    this.#addCount(plan, part, epoch);
    return this.#hasMore ? null : older;
  }

  /** Compares a part of a range until it is complete or the slice is over; returns the remaining range. */
  #comparePart(
    plan: SearchPlan,
    { range, part, older }: { readonly range: IdRange; readonly part: IdRange; readonly older: IdRange | null },
    position: ServerPosition,
  ): IdRange | null {
    const { epoch } = position;
    const slice = new SearchSlice(this.#dependencies.sliceMsMax);
    let rest: IdRange | null = range;
    for (const next of this.#compared(plan, part, position)) {
      if (next !== undefined) {
        const isMatch = this.#isMatch(plan, next, { epoch, slice });
        if (isMatch === undefined) return rest;
        if (isMatch && this.#take(epoch, idOf(next))) return null;
        rest = below(range, idOf(next));
      }
      if (rest === null || slice.isOver) return rest;
    }
    return older;
  }

  /** Whether the matches of a part of the range are counted by one statement, without their rows. */
  #isCountedBySql(plan: SearchPlan): boolean {
    const isWhole = this.#afterSequence === 0 && this.#toSkip === 0;
    return plan.count !== undefined && this.#finder === undefined && isWhole;
  }

  /** Adds the number of matches of a part. */
  #addCount(plan: SearchPlan, part: IdRange, epoch: number): void {
    const { itemsPerPage } = this.#request.page;
    const limit = itemsPerPage + 1 - this.#count;
    const counted = Number(plan.count?.().get({ ...plan.sql().parameters, epoch, ...part, limit })?.["count"]);
    this.#count = Math.min(this.#count + counted, itemsPerPage);
    this.#hasMore = counted === limit;
  }

  /** Returns the newest part of a range, whose rows one slice can compare. */
  #nextPart(
    plan: SearchPlan,
    range: IdRange,
    epoch: number,
  ): { readonly position: ServerPosition; readonly part: IdRange; readonly isLast: boolean } {
    const position = this.#position;
    if (position === undefined) throw new Error("the search has not started");
    if (!this.#comparesRows(plan)) return { position, part: range, isLast: true };
    const boundary = plan.boundary().get({ ...plan.source?.parameters, epoch, ...range, skip: rowCountPerSlice });
    const first = boundary?.["id"] as Uint8Array | undefined;
    return { position, part: { first: first ?? range.first, last: range.last }, isLast: first === undefined };
  }

  /** Returns what is to be compared, newest first; undefined after a unit of work. */
  #compared(plan: SearchPlan, part: IdRange, position: ServerPosition): Iterable<ComparedRow | Uint8Array | undefined> {
    const { epoch } = position;
    const candidates = this.#finder?.find(this.#scope(part, position)) ?? [];
    if (this.#comparesRows(plan)) return mergeNewest(this.#rows(plan, part, epoch), idsOf(candidates));
    return compareCandidates(candidates, (group) => {
      const between = { first: group.at(-1)?.id ?? part.first, last: group[0]?.id ?? part.last };
      const of = { ...plan.sql().parameters, epoch, candidates: writeCandidates(group), ...between };
      return plan.rowsOfCandidates().iterate(of) as Iterable<unknown> as Iterable<ComparedRow>;
    });
  }

  /** Whether rows are compared beside the candidates of the index. */
  #comparesRows(plan: SearchPlan): boolean {
    return this.#finder === undefined || !plan.isNarrowedByTexts;
  }

  #rows(plan: SearchPlan, part: IdRange, epoch: number): Iterable<ComparedRow> {
    const statement = this.#finder === undefined ? plan.rows() : plan.rowsWithoutBodies();
    const rows = statement.iterate({ ...plan.sql().parameters, epoch, ...part });
    return rows as Iterable<unknown> as Iterable<ComparedRow>;
  }

  /** Returns whether a message matches; undefined when the next slice must decide. */
  #isMatch(
    plan: SearchPlan,
    next: ComparedRow | Uint8Array,
    { epoch, slice }: { readonly epoch: number; readonly slice: SearchSlice },
  ): boolean | undefined {
    const id = idOf(next);
    if (this.#afterSequence > 0 && this.#sequenceOf(epoch, id) <= this.#afterSequence) return false;
    const sql = plan.sql();
    const of = { ...sql.parameters, epoch, first: id, last: id };
    const row = next instanceof Uint8Array ? rowOf(plan.row().get(of)) : next;
    // A segment may name a message that was deleted.
    if (row === undefined || row.verdict !== null) return row?.verdict === 1;
    const bodies = this.#compareBody(sql, row, slice);
    if (bodies === undefined) return undefined;
    if (bodies === null) return false;
    if (sql.bodyDecides !== null) return Object.values(bodies)[0] === sql.bodyDecides;
    return rowOf(plan.row().get({ ...of, ...bodies }))?.verdict === 1;
  }

  /** Returns the parameters of a body; undefined when it is too long for the rest of the slice, null when it is damaged. */
  #compareBody(sql: PlannedSql, { id, content }: ComparedRow, slice: SearchSlice): BodyParameters | null | undefined {
    const stored = this.#body.get(content) as unknown as (ContentLayout & { column: Uint8Array }) | undefined;
    if (stored === undefined) return this.#reportDamage(id, "its content row is missing");
    if (!slice.admit(decompressedBytes("body", stored))) return undefined;
    const parameters = withContent("body", stored, (body) =>
      Object.fromEntries(sql.bodyTerms.map(({ parameter, pattern }) => [parameter, body.includes(pattern) ? 1 : 0])),
    );
    return parameters ?? this.#reportDamage(id, "its body does not decompress");
  }

  /** Returns null: a damaged body matches nothing. */
  #reportDamage(id: Uint8Array, cause: string): null {
    this.#onDamage(damagedMessage(idFromBytes(id), cause));
    return null;
  }

  #sequenceOf(epoch: number, id: Uint8Array): number {
    return Number(this.#sequence.get(epoch, id)?.["sequence"] ?? 0);
  }

  #scope(range: IdRange, { epoch, sequence }: ServerPosition): CandidateScope {
    const { direction } = this.#request.page;
    return { epoch, sequence, afterSequence: this.#afterSequence, range, direction };
  }

  /** Adds a match; returns true when the page is full and known to have a successor. */
  #take(epoch: number, id: Uint8Array): boolean {
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    const { page, result } = this.#request;
    this.#hasMore = this.#count === page.itemsPerPage;
    if (this.#hasMore) return true;
    this.#count += 1;
    if (result === "ids") this.#identities.push({ id: idFromBytes(id), sequence: this.#sequenceOf(epoch, id) });
    if (result === "summaries") {
      const row = this.#summary.get(epoch, id) as unknown as SummaryRow;
      this.#summaries.push(intactSummary(row, this.#onDamage));
    }
    return false;
  }
}

function idOf(next: ComparedRow | Uint8Array): Uint8Array {
  return next instanceof Uint8Array ? next : next.id;
}

function rowOf(row: unknown): ComparedRow | undefined {
  return row as ComparedRow | undefined;
}

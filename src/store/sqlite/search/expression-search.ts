import type { StatementSync } from "node:sqlite";
import type { Page } from "../../../core/criteria.ts";
import { encodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import { receivedBounds, type SearchExpression } from "../../../core/search/search-expression.ts";
import type { MessageIdentity } from "../../mark-store.ts";
import { damagedMessage, ignoreDamage } from "../content/checksums.ts";
import type { OnDamage } from "../content/checksums.ts";
import { layoutColumns, withContent, decompressedBytes } from "../content/content.ts";
import type { ContentLayout } from "../content/content.ts";
import { below } from "../messages/id-range.ts";
import type { IdRange } from "../messages/id-range.ts";
import { firstIndex } from "../messages/page-bounds.ts";
import { select } from "../messages/pages.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import { compareCandidates, writeCandidates, type ComparedRow } from "./candidate-rows.ts";
import type { Candidate, CandidateFinder, CandidateScope } from "./candidates.ts";
import { hasFewRows, planExpression, type ExpressionPlan } from "./expression-plan.ts";
import { mergeNewest } from "./merge-newest.ts";
import type { SearchDependencies } from "./search.ts";
import { SearchSlice } from "./search-slice.ts";

/** Rows compared in one slice. */
const rowCountPerSlice = 4000;

/** Parameters of a search by an expression. */
export interface ExpressionRequest {
  readonly server: ServerId;
  readonly expression: SearchExpression;
  readonly page: Page;
  /** Whether the messages are only counted; false by default. */
  readonly isCount?: boolean;
}

/** Messages of a page, newest first. */
export interface FoundMessages {
  /** Empty when they are only counted. */
  readonly found: readonly MessageIdentity[];
  readonly count: number;
  readonly hasMore: boolean;
  readonly cursor: number;
}

/** Parameters that tell which terms a body contains. */
type BodyParameters = Readonly<Record<string, number>>;

/**
 * One search by an expression, executed in slices like `Search`. With a text index, matches are among its candidates; where the
 * expression does not narrow them, they are rows that match though no body contains any term, and candidates for the terms of
 * bodies. Without an index, every row is compared.
 */
export class ExpressionSearch {
  readonly #dependencies: SearchDependencies;
  readonly #onDamage: OnDamage;
  readonly #request: ExpressionRequest;
  readonly #body: StatementSync;
  readonly #sequence: StatementSync;
  #plan: ExpressionPlan | undefined;
  #finder: CandidateFinder | undefined;
  #position: ServerPosition | undefined;
  #afterSequence = 0;
  /** Range that has not been searched yet; null when the search is complete. */
  #rest: IdRange | null = null;
  #toSkip = 0;
  #found: MessageIdentity[] = [];
  #count = 0;
  #hasMore = false;

  constructor(dependencies: SearchDependencies, request: ExpressionRequest) {
    const { statements } = dependencies;
    this.#dependencies = dependencies;
    this.#onDamage = dependencies.onDamage ?? ignoreDamage;
    this.#request = request;
    this.#body = statements.get(
      `select coalesce(body, detail) as column, ${layoutColumns} from content where number = ?`,
    );
    this.#sequence = statements.get("select sequence from message where epoch = ? and id = ?");
  }

  /** Executes one slice within the caller's snapshot; returns the result, undefined when more slices are needed. */
  step(): FoundMessages | undefined {
    const position = this.#dependencies.servers.position(this.#request.server);
    if (position === undefined) return { found: [], count: 0, hasMore: false, cursor: 0 };
    if (position.epoch !== this.#position?.epoch) this.#start(position);
    if (this.#rest !== null && this.#plan !== undefined) {
      this.#rest = this.#searchRange(this.#plan, this.#rest, position.epoch);
    }
    if (this.#rest !== null) return undefined;
    return { found: this.#found, count: this.#count, hasMore: this.#hasMore, cursor: this.#position?.sequence ?? 0 };
  }

  #start(position: ServerPosition): void {
    const { server, page, expression, isCount = false } = this.#request;
    const selection = select(position, { server, page, changes: this.#dependencies.changes });
    this.#position = position;
    this.#afterSequence = selection?.afterSequence ?? 0;
    this.#rest = selection === undefined ? null : this.#withinBounds(selection.range);
    this.#toSkip = firstIndex(page);
    this.#found = [];
    this.#count = 0;
    this.#hasMore = false;
    const { epoch } = position;
    const { direction } = page;
    this.#plan = planExpression(this.#dependencies, { server, direction, expression, epoch, isCount });
    this.#finder = this.#rest === null ? undefined : this.#worthwhileFinder(this.#plan, this.#rest, position);
  }

  /** Returns the finder of a plan; undefined where the text index does not help, or comparing all rows is faster. */
  #worthwhileFinder(plan: ExpressionPlan, range: IdRange, position: ServerPosition): CandidateFinder | undefined {
    const scope = this.#scope(range, position);
    if (plan.finder?.isWorthwhile(scope) !== true) return undefined;
    return hasFewRows(plan, scope, position) ? undefined : plan.finder;
  }

  /** Returns the part of a range that the instants of the expression leave; null when it is empty. */
  #withinBounds({ first, last }: IdRange): IdRange | null {
    const { server, page, expression } = this.#request;
    const { from, before } = receivedBounds(expression);
    const idAt = (at: number): Uint8Array => {
      const receivedAt = Math.min(Math.max(0, Math.ceil(at)), 2 ** 47 - 1);
      return idToBytes(encodeMessageId({ server, direction: page.direction, receivedAt, random: 0 }));
    };
    const lower = from === null ? first : idAt(from);
    const range = { first: Buffer.compare(lower, first) > 0 ? lower : first, last };
    if (before === null || Buffer.compare(idAt(before), last) > 0) {
      return Buffer.compare(range.first, last) > 0 ? null : range;
    }
    return below(range, idAt(before));
  }

  /** Searches the newest part of a range; returns the remaining range, null when there is none. */
  #searchRange(plan: ExpressionPlan, range: IdRange, epoch: number): IdRange | null {
    const { position, part, isLast } = this.#nextPart(plan, range, epoch);
    const older = isLast ? null : below(range, part.first);
    if (!isLast && this.#isAllSeen(plan, part, epoch)) return older;
    if (!this.#isCountedBySql(plan)) return this.#comparePart(plan, { range, part, older }, position);
    this.#addCount(plan, part, epoch);
    return this.#hasMore ? null : older;
  }

  /** Compares a part of a range until it is complete or the slice is over; returns the remaining range. */
  #comparePart(
    plan: ExpressionPlan,
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

  /**
   * Whether no message of a part that is not the last one can match, because all have the flag "seen" and matches have not.
   * Counting marks, which are deleted with their messages, takes a tenth of the time of comparing the messages.
   */
  #isAllSeen({ seenCount }: ExpressionPlan, part: IdRange, epoch: number): boolean {
    if (seenCount === undefined || this.#finder !== undefined) return false;
    return seenCount.get({ epoch, ...part })?.["count"] === rowCountPerSlice + 1;
  }

  /** Whether the matches of a part of the range are counted by one statement, without their rows. */
  #isCountedBySql(plan: ExpressionPlan): boolean {
    const isWhole = this.#afterSequence === 0 && this.#toSkip === 0;
    return plan.count !== undefined && this.#finder === undefined && isWhole;
  }

  /** Adds the number of matches of a part. */
  #addCount(plan: ExpressionPlan, part: IdRange, epoch: number): void {
    const { itemsPerPage } = this.#request.page;
    const limit = itemsPerPage + 1 - this.#count;
    const counted = Number(plan.count?.get({ ...plan.parameters, epoch, ...part, limit })?.["count"]);
    this.#count = Math.min(this.#count + counted, itemsPerPage);
    this.#hasMore = counted === limit;
  }

  /** Returns the newest part of a range, whose rows one slice can compare. */
  #nextPart(
    plan: ExpressionPlan,
    range: IdRange,
    epoch: number,
  ): { readonly position: ServerPosition; readonly part: IdRange; readonly isLast: boolean } {
    const position = this.#position;
    if (position === undefined) throw new Error("the search has not started");
    if (!this.#comparesRows(plan)) return { position, part: range, isLast: true };
    const boundary = plan.boundary.get({ ...plan.parameters, epoch, ...range, skip: rowCountPerSlice });
    const first = boundary?.["id"] as Uint8Array | undefined;
    return { position, part: { first: first ?? range.first, last: range.last }, isLast: first === undefined };
  }

  /** Returns what is to be compared, newest first; undefined after a unit of work. */
  #compared(
    plan: ExpressionPlan,
    part: IdRange,
    position: ServerPosition,
  ): Iterable<ComparedRow | Uint8Array | undefined> {
    const { epoch } = position;
    const candidates = this.#finder?.find(this.#scope(part, position)) ?? [];
    if (this.#comparesRows(plan)) return mergeNewest(this.#rows(plan, part, epoch), idsOf(candidates));
    return compareCandidates(candidates, (group) => {
      const between = { first: group.at(-1)?.id ?? part.first, last: group[0]?.id ?? part.last };
      const of = { ...plan.parameters, ...plan.unknownBodies, epoch, candidates: writeCandidates(group), ...between };
      return plan.rowsOfCandidates.iterate(of) as Iterable<unknown> as Iterable<ComparedRow>;
    });
  }

  /** Whether rows are compared beside the candidates of the index. */
  #comparesRows(plan: ExpressionPlan): boolean {
    return this.#finder === undefined || !plan.isNarrowedByTexts;
  }

  #rows(plan: ExpressionPlan, part: IdRange, epoch: number): Iterable<ComparedRow> {
    const statement = this.#finder === undefined ? plan.rows : plan.rowsWithoutBodies;
    const rows = statement.iterate({ ...plan.parameters, ...plan.unknownBodies, epoch, ...part });
    return rows as Iterable<unknown> as Iterable<ComparedRow>;
  }

  /** Returns whether a message matches; undefined when the next slice must decide. */
  #isMatch(
    plan: ExpressionPlan,
    next: ComparedRow | Uint8Array,
    { epoch, slice }: { readonly epoch: number; readonly slice: SearchSlice },
  ): boolean | undefined {
    const id = idOf(next);
    if (this.#afterSequence > 0 && this.#sequenceOf(epoch, id) <= this.#afterSequence) return false;
    const of = { ...plan.parameters, epoch, first: id, last: id };
    const row = next instanceof Uint8Array ? rowOf(plan.row.get({ ...of, ...plan.unknownBodies })) : next;
    // A segment may name a message that was deleted.
    if (row === undefined || row.verdict !== null) return row?.verdict === 1;
    const bodies = this.#compareBody(plan, row, slice);
    if (bodies === undefined) return undefined;
    return bodies !== null && rowOf(plan.row.get({ ...of, ...bodies }))?.verdict === 1;
  }

  /** Returns the parameters of a body; undefined when it is too long for the rest of the slice, null when it is damaged. */
  #compareBody(
    plan: ExpressionPlan,
    { id, content }: ComparedRow,
    slice: SearchSlice,
  ): BodyParameters | null | undefined {
    const stored = this.#body.get(content) as unknown as (ContentLayout & { column: Uint8Array }) | undefined;
    if (stored === undefined) return this.#reportDamage(id, "its content row is missing");
    if (!slice.admit(decompressedBytes("body", stored))) return undefined;
    const parameters = withContent("body", stored, (body) =>
      Object.fromEntries(plan.bodyTerms.map(({ parameter, pattern }) => [parameter, body.includes(pattern) ? 1 : 0])),
    );
    return parameters ?? this.#reportDamage(id, "its body does not decompress");
  }

  /** Returns null: a damaged body matches nothing. */
  #reportDamage(id: Uint8Array, cause: string): null {
    this.#onDamage(damagedMessage(id, cause));
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
    const { page, isCount = false } = this.#request;
    this.#hasMore = this.#count === page.itemsPerPage;
    if (this.#hasMore) return true;
    this.#count += 1;
    if (!isCount) this.#found.push({ id: idFromBytes(id), sequence: this.#sequenceOf(epoch, id) });
    return false;
  }
}

function* idsOf(candidates: Iterable<Candidate | undefined>): Generator<Uint8Array | undefined> {
  for (const candidate of candidates) yield candidate?.id;
}

function idOf(next: ComparedRow | Uint8Array): Uint8Array {
  return next instanceof Uint8Array ? next : next.id;
}

function rowOf(row: unknown): ComparedRow | undefined {
  return row as ComparedRow | undefined;
}

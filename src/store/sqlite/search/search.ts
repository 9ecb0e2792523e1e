import type { StatementSync } from "node:sqlite";
import type { Page } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { FoldedCriteria, SummaryPage } from "../../store.ts";
import { CandidateFinder, candidateQueryOf } from "./candidates.ts";
import type { CandidateScope } from "./candidates.ts";
import type { ChangeReads } from "../messages/changes.ts";
import { damagedMessage, ignoreDamage, intactSummary, joinByCommas } from "../content/checksums.ts";
import type { OnDamage } from "../content/checksums.ts";
import { layoutColumns, withContent, decompressedBytes } from "../content/content.ts";
import type { ContentLayout } from "../content/content.ts";
import type { Statements } from "../connection/connection.ts";
import type { RecentGramReads } from "../../signatures/recent-grams.ts";
import { below } from "../messages/id-range.ts";
import type { IdRange } from "../messages/id-range.ts";
import { firstIndex, totalOf } from "../messages/page-bounds.ts";
import { emptyPage, select } from "../messages/pages.ts";
import { planSearch } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import { SearchSlice } from "./search-slice.ts";
import type { SegmentReads } from "../text-index/segments.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { ServerReads } from "../account/servers.ts";

/** Rows compared in one slice: a few milliseconds where only columns are compared. */
const rowCountPerSlice = 4000;
/** Parameters of a search. */
export interface SearchRequest {
  readonly server: ServerId;
  readonly criteria: FoldedCriteria;
  readonly page: Page;
}

/** Dependencies of {@link Search}. */
export interface SearchDependencies {
  readonly statements: Statements;
  readonly servers: ServerReads;
  readonly changes: ChangeReads;
  readonly segments: SegmentReads;
  /** Filters of messages that no segment covers yet. */
  readonly recent?: RecentGramReads;
  /** Duration of a slice that decompresses bodies or uses the text index; see also {@link SearchSlice}. */
  readonly sliceMsMax: number;
  readonly onDamage?: OnDamage;
}

interface SummaryRow {
  readonly id: Uint8Array;
  readonly sequence: number;
  readonly summary: Uint8Array;
  readonly checksum: number;
}

interface ScannedRow {
  readonly id: Uint8Array;
  readonly content: number;
  /** 1 when the columns decide that the row matches; 0 when its body must be compared. */
  readonly matches: number;
}

/**
 * One search, executed in slices so that other calls do not wait long. Each slice reads its own snapshot; when the server
 * was emptied in between, the search starts again, so that its result never mixes two epochs.
 */
export class Search {
  readonly #dependencies: SearchDependencies;
  readonly #onDamage: OnDamage;
  readonly #request: SearchRequest;
  readonly #plan: SearchPlan;
  readonly #candidates: StatementSync;
  readonly #boundary: StatementSync;
  readonly #body: StatementSync;
  readonly #sequence: StatementSync;
  readonly #summary: StatementSync;
  readonly #pattern: Buffer;
  /** Finder of candidates by the text index; undefined where the criteria have no text. */
  readonly #finder: CandidateFinder | undefined;
  #usesIndex = false;
  #position: ServerPosition | undefined;
  #afterSequence = 0;
  /** Range that has not been searched yet; null when the search is complete. */
  #rest: IdRange | null = null;
  #toSkip = 0;
  #found: Uint8Array[] = [];
  #hasMore = false;

  constructor(sources: SearchDependencies, request: SearchRequest) {
    const { statements } = sources;
    this.#dependencies = sources;
    this.#onDamage = sources.onDamage ?? ignoreDamage;
    this.#request = request;
    this.#plan = planSearch(request.criteria);
    this.#candidates = statements.get(this.#plan.candidates);
    this.#boundary = statements.get(this.#plan.boundary);
    this.#body = statements.get(
      `select coalesce(body, detail) as column, ${layoutColumns} from content where number = ?`,
    );
    this.#sequence = statements.get("select sequence from message where epoch = ? and id = ?");
    this.#summary = statements.get("select id, sequence, summary, checksum from message where epoch = ? and id = ?");
    this.#pattern = Buffer.from(request.criteria.body ?? "");
    this.#finder = CandidateFinder.of(sources, candidateQueryOf(request.criteria));
  }

  /** Executes one slice within the caller's snapshot; returns the result, undefined when more slices are needed. */
  step(): SummaryPage | undefined {
    const position = this.#dependencies.servers.position(this.#request.server);
    if (position === undefined) return emptyPage(0);
    if (position.epoch !== this.#position?.epoch) this.#start(position);
    if (this.#rest !== null) this.#rest = this.#searchRange(this.#rest, position);
    return this.#rest === null ? this.#result() : undefined;
  }

  #start(position: ServerPosition): void {
    const { server, page } = this.#request;
    const selection = select(position, { server, page, changes: this.#dependencies.changes });
    this.#position = position;
    this.#afterSequence = selection?.afterSequence ?? 0;
    this.#rest = selection?.range ?? null;
    this.#toSkip = firstIndex(page);
    this.#found = [];
    this.#hasMore = false;
    this.#usesIndex = this.#rest !== null && this.#finder?.isWorthwhile(this.#scope(this.#rest, position)) === true;
  }

  /** Searches the newest part of a range; returns the remaining range, null when there is none. */
  #searchRange(range: IdRange, position: ServerPosition): IdRange | null {
    return this.#usesIndex && this.#finder !== undefined
      ? this.#follow(this.#finder, range)
      : this.#scan(range, position.epoch);
  }

  /** Compares the candidates of the text index. */
  #follow(finder: CandidateFinder, range: IdRange): IdRange | null {
    const position = this.#position;
    if (position === undefined) return null;
    const slice = new SearchSlice(this.#dependencies.sliceMsMax);
    let rest: IdRange | null = range;
    let previous: Uint8Array | undefined;
    for (const candidate of finder.find(this.#scope(range, position))) {
      const id = candidate?.id;
      if (id !== undefined && (previous === undefined || Buffer.compare(id, previous) !== 0)) {
        const isMatch = this.#isMatch(id, position.epoch, slice);
        if (isMatch === undefined) return rest;
        if (isMatch && this.#take(position.epoch, id)) return null;
        rest = below(range, id);
        previous = id;
      }
      if (rest === null || slice.isOver) return rest;
    }
    return null;
  }

  /** Returns whether one message matches; undefined when the next slice must decide. */
  #isMatch(id: Uint8Array, epoch: number, slice: SearchSlice): boolean | undefined {
    const row = this.#candidates.get({ ...this.#plan.parameters, epoch, first: id, last: id });
    return row !== undefined && this.#isAfter(id, epoch) && this.#matches(row as unknown as ScannedRow, slice);
  }

  #isAfter(id: Uint8Array, epoch: number): boolean {
    return this.#afterSequence <= 0 || Number(this.#sequence.get(epoch, id)?.["sequence"]) > this.#afterSequence;
  }

  #scope(range: IdRange, { epoch, sequence }: ServerPosition): CandidateScope {
    const { direction } = this.#request.page;
    return { epoch, sequence, afterSequence: this.#afterSequence, range, direction };
  }

  /** Compares every row. */
  #scan(range: IdRange, epoch: number): IdRange | null {
    const parameters = { ...this.#plan.parameters, epoch };
    const boundary = this.#boundary.get({
      ...parameters,
      first: range.first,
      last: range.last,
      skip: rowCountPerSlice,
    });
    const first = (boundary?.["id"] as Uint8Array | undefined) ?? range.first;
    const isLast = boundary === undefined;
    const slice = new SearchSlice(this.#dependencies.sliceMsMax);
    let previous: Uint8Array | undefined;
    const rows = this.#candidates.iterate({ ...parameters, first, last: range.last });
    for (const row of rows as Iterable<unknown> as Iterable<ScannedRow>) {
      const isMatch = this.#matches(row, slice);
      if (isMatch === undefined) return previous === undefined ? range : below(range, previous);
      if (isMatch && this.#take(epoch, row.id)) return null;
      if (this.#plan.readsBodies && slice.isOver) return below(range, row.id);
      previous = row.id;
    }
    return isLast ? null : below(range, first);
  }

  /** Returns whether a row matches; undefined when its body is too long for the rest of the slice. */
  #matches(row: ScannedRow, slice: SearchSlice): boolean | undefined {
    if (row.matches === 1 || !this.#plan.readsBodies) return true;
    const stored = this.#body.get(row.content) as unknown as (ContentLayout & { column: Uint8Array }) | undefined;
    if (stored === undefined) return this.#reportDamage(row.id, "its content row is missing");
    if (!slice.admit(decompressedBytes("body", stored))) return undefined;
    const isMatch = withContent("body", stored, (body) => body.includes(this.#pattern));
    return isMatch ?? this.#reportDamage(row.id, "its body does not decompress");
  }

  /** Returns false: a damaged body matches nothing. */
  #reportDamage(id: Uint8Array, cause: string): false {
    this.#onDamage(damagedMessage(id, cause));
    return false;
  }

  /** Adds a match; returns true when the page is full and known to have a successor. */
  #take(epoch: number, id: Uint8Array): boolean {
    if (this.#toSkip > 0 && this.#afterSequence <= 0) {
      this.#toSkip -= 1;
      return false;
    }
    const row = this.#summary.get(epoch, id) as unknown as SummaryRow | undefined;
    if (row === undefined || row.sequence <= this.#afterSequence) return false;
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#hasMore = this.#found.length === this.#request.page.itemsPerPage;
    if (!this.#hasMore) this.#found.push(intactSummary(row, this.#onDamage));
    return this.#hasMore;
  }

  #result(): SummaryPage {
    const count = this.#found.length;
    const hasMore = this.#hasMore;
    const total = totalOf(this.#request.page, { count, hasMore });
    return { json: joinByCommas(this.#found), count, hasMore, total, cursor: this.#position?.sequence ?? 0 };
  }
}

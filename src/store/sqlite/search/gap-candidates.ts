import type { StatementSync } from "node:sqlite";
import type { MessageCandidate, Narrowing } from "../../signatures/narrowing.ts";
import type { RecentGramReads } from "../../signatures/recent-grams.ts";
import type { Statements } from "../connection/connection.ts";
import type { Gap } from "../text-index/segments.ts";
import type { Candidate, CandidateScope } from "./candidates.ts";

/** Changes in one part of a gap. */
const changeCountPerPart = 1024;
/** Changes of a part that are looked up one by one. */
const lookupCountMax = 200;

/** Part of a gap whose messages have ids of at most `last`. */
export interface GapPart {
  readonly last: Uint8Array;
  readonly gap: Gap;
}

interface GapRow {
  readonly id: Uint8Array;
  readonly sequence: number;
}

/** Sources of {@link GapCandidates}. */
export interface GapSources {
  readonly statements: Statements;
  readonly recent: RecentGramReads | undefined;
}

const message = "message m indexed by message_sequence";
const inGap = "m.epoch = ? and m.sequence between ? and ? and m.id between ? and ?";
const sql = {
  range: `select max(sequence) as lastSequence, max(id) as last, count(*) as count
    from (select m.sequence, m.id from ${message} where ${inGap} order by m.sequence limit ${changeCountPerPart})`,
  rows: `select m.id, m.sequence from ${message} where ${inGap} order by m.id desc`,
  idOfChange: `select m.id from ${message} where m.epoch = ? and m.sequence = ? and m.id between ? and ?`,
};

/** Candidates of one search among the changes that no segment covers: those that their filters do not exclude. */
export class GapCandidates {
  readonly #recent: RecentGramReads | undefined;
  readonly #narrowing: Narrowing;
  readonly #range: StatementSync;
  readonly #rows: StatementSync;
  readonly #idOfChange: StatementSync;
  #parts: { readonly key: string; readonly parts: readonly GapPart[] } = { key: "", parts: [] };
  /** Candidates of the parts read so far. */
  readonly #read = new Map<GapPart, readonly Candidate[]>();

  constructor({ statements, recent }: GapSources, narrowing: Narrowing) {
    this.#recent = recent;
    this.#narrowing = narrowing;
    this.#range = statements.get(sql.range);
    this.#rows = statements.get(sql.rows);
    this.#idOfChange = statements.get(sql.idOfChange);
  }

  /** Number of parts whose candidates are known, until the gaps change. */
  get readCount(): number {
    return this.#read.size;
  }

  /** Splits gaps into parts of bounded size that have messages in the range; the same as long as the gaps are. */
  parts(gaps: readonly Gap[], scope: CandidateScope): readonly GapPart[] {
    const key = JSON.stringify([scope.epoch, gaps]);
    if (this.#parts.key !== key) {
      this.#read.clear();
      this.#parts = { key, parts: gaps.flatMap((gap) => Array.from(this.#split(gap, scope))) };
    }
    return this.#parts.parts;
  }

  *#split(gap: Gap, { epoch, range }: CandidateScope): Generator<GapPart> {
    let { first } = gap;
    while (first <= gap.last) {
      const row = this.#range.get(epoch, first, gap.last, range.first, range.last);
      const found = row as unknown as { lastSequence: number; last: Uint8Array; count: number };
      if (found.count === 0) return;
      yield { last: found.last, gap: { first, last: found.lastSequence } };
      first = found.lastSequence + 1;
    }
  }

  /** Yields the candidates of a part that are in the range, newest first. */
  *candidates(part: GapPart, scope: CandidateScope): Generator<Candidate> {
    const candidates = this.#read.get(part) ?? this.#readPart(part, scope);
    this.#read.set(part, candidates);
    for (const candidate of candidates) if (Buffer.compare(candidate.id, scope.range.last) <= 0) yield candidate;
  }

  #readPart({ gap }: GapPart, { epoch, range }: CandidateScope): readonly Candidate[] {
    this.#recent?.readPublished();
    const left = this.#leftByFilters(epoch, gap);
    if (left === undefined) {
      const rows = this.#rows.all(epoch, gap.first, gap.last, range.first, range.last);
      return (rows as unknown as readonly GapRow[]).flatMap(({ id, sequence }) => {
        const { isCandidate, mayMatchBody } = this.#decide(epoch, sequence);
        return isCandidate ? [{ id, mayMatchBody }] : [];
      });
    }
    const found = Array.from(left, ([sequence, mayMatchBody]) => {
      const row = this.#idOfChange.get(epoch, sequence, range.first, range.last);
      return row === undefined ? undefined : { id: row["id"] as Uint8Array, mayMatchBody };
    });
    return found.filter((one) => one !== undefined).sort((a, b) => Buffer.compare(b.id, a.id));
  }

  /**
   * Returns the changes that no filter excludes, and whether the bodies of their messages may match; undefined where reading
   * the rows of all messages is faster. Changes of messages that were deleted since have no row and, mostly, no filter.
   */
  #leftByFilters(epoch: number, { first, last }: Gap): ReadonlyMap<number, boolean> | undefined {
    const left = new Map<number, boolean>();
    for (let sequence = first; sequence <= last; sequence += 1) {
      const { isCandidate, mayMatchBody } = this.#decide(epoch, sequence);
      if (isCandidate) left.set(sequence, mayMatchBody);
      if (left.size > lookupCountMax) return undefined;
    }
    return left;
  }

  #decide(epoch: number, sequence: number): MessageCandidate {
    return this.#narrowing.ofMessage((hashes) => this.#recent?.mayContain(epoch, sequence, hashes) ?? true);
  }
}

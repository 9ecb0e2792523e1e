import type { StatementSync } from "node:sqlite";
import { givenCriteria, keyCriteria, textCriteria } from "../../../core/criteria.ts";
import type { KeyCriterion } from "../../../core/criteria.ts";
import type { Direction } from "../../../core/message.ts";
import type { FoldedCriteria } from "../../store.ts";
import { Narrowing, type Candidates } from "../../signatures/narrowing.ts";
import { conditionOfTexts, type TextCondition } from "../../signatures/text-condition.ts";
import type { Statements } from "../connection/connection.ts";
import type { IdRange } from "../messages/id-range.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { gapsBetween, memberCountPerBlock, idBytes } from "../text-index/segments.ts";
import type { Gap, Segment, SegmentReads } from "../text-index/segments.ts";

/** Messages in one range of changes that no segment covers. */
const messageCountPerRange = 1024;
/** Ids of an address read at once. */
const addressIdCountPerFetch = 256;
/** Up to this many messages of an address are compared one by one instead of using the text index. */
const addressMessageCountFew = 100;

/** Range of messages in which candidates are searched for. */
export interface CandidateScope {
  readonly epoch: number;
  /** Last change that is included. */
  readonly sequence: number;
  /** Only changes after this one. */
  readonly afterSequence: number;
  readonly range: IdRange;
  readonly direction: Direction;
}

/** Message that may match. */
export interface Candidate {
  readonly id: Uint8Array;
  /** False where the index excludes that its body contains one of {@link CandidateQuery.bodies}. */
  readonly mayMatchBody: boolean;
}

/** Source of candidates with ids of at most `last`; newest first. */
interface CandidateSource {
  readonly last: Uint8Array;
  open(): Iterator<Candidate>;
}

/** Dependencies of {@link CandidateFinder}. */
export interface CandidateDependencies {
  readonly statements: Statements;
  readonly segments: SegmentReads;
}

/** Texts and keys that matches have. */
export interface CandidateQuery {
  /** Condition that every match meets, unless it has one of {@link otherKeys}. */
  readonly condition: TextCondition;
  /** Terms that bodies are compared with; undefined when the body of every candidate is read. */
  readonly bodies?: readonly string[];
  /** Keys that every match has. */
  readonly requiredKeys: readonly KeyCriterion[];
  /** Keys that make a message a candidate without any text. */
  readonly otherKeys: readonly KeyCriterion[];
  /** Subject that every match contains; null where there is none. */
  readonly subject: string | null;
}

/** Returns the query of criteria. */
export function candidateQueryOf(criteria: FoldedCriteria): CandidateQuery {
  // Where every match must have the subject, only messages with it need to be compared.
  const isSubjectNeeded =
    criteria.subject !== undefined && (criteria.match === "ALL" || givenCriteria(criteria).length === 1);
  const keys = keyCriteria(criteria);
  return {
    condition: conditionOfTexts(textCriteria(criteria), criteria.match),
    requiredKeys: criteria.match === "ALL" ? keys : [],
    otherKeys: criteria.match === "ANY" ? keys : [],
    subject: isSubjectNeeded ? (criteria.subject ?? "") : null,
  };
}

/** Part of a gap whose messages have ids of at most `last`. */
interface GapPart {
  readonly last: Uint8Array;
  readonly gap: Gap;
}

/**
 * Finds the messages that may match one search: by the text index, and every message that it does not cover. Each slice
 * of a search must call {@link CandidateFinder.find} again, because segments change in between.
 */
export class CandidateFinder {
  readonly #segments: SegmentReads;
  readonly #narrowing: Narrowing;
  readonly #requiredKeys: readonly KeyCriterion[];
  readonly #otherKeys: readonly KeyCriterion[];
  readonly #rangeOfGap: StatementSync;
  readonly #idsOfGap: StatementSync;
  /** Subject that every match has; null where there is none. */
  readonly #subject: string | null;
  readonly #idsOfKey: StatementSync;
  readonly #countOfKey: StatementSync;
  /** Candidates of the segments read so far. */
  #cachedCandidates = new Map<number, Candidates>();

  #parts: { readonly key: string; readonly parts: readonly GapPart[] } = { key: "", parts: [] };

  private constructor({ statements, segments }: CandidateDependencies, narrowing: Narrowing, query: CandidateQuery) {
    this.#segments = segments;
    this.#narrowing = narrowing;
    this.#requiredKeys = query.requiredKeys;
    this.#otherKeys = query.otherKeys;
    this.#subject = query.subject;
    const gap =
      "from message indexed by message_sequence where epoch = ? and sequence between ? and ? and id between ? and ?";
    this.#rangeOfGap = statements.get(
      `select max(sequence) as lastSequence, max(id) as last, count(*) as count
       from (select sequence, id ${gap} order by sequence limit ${messageCountPerRange})`,
    );
    this.#idsOfGap = statements.get(
      `select m.id from message m indexed by message_sequence cross join subject s on s.epoch = m.epoch and s.id = m.id
       where m.epoch = ? and m.sequence between ? and ? and m.id between ? and ? and (?6 is null or instr(s.text, ?6) > 0)
       order by m.id desc`,
    );
    const address = "from address where epoch = ? and role = ? and address = ? and id between ? and ?";
    this.#idsOfKey = statements.get(`select id ${address} order by id desc limit ${addressIdCountPerFetch}`);
    this.#countOfKey = statements.get(
      `select count(*) as count from (select 1 ${address} limit ${addressMessageCountFew + 1})`,
    );
  }

  /** Creates a finder; returns undefined when no text narrows the search. */
  static of(sources: CandidateDependencies, query: CandidateQuery): CandidateFinder | undefined {
    const narrowing = Narrowing.of(query.condition, query.bodies);
    return narrowing === undefined ? undefined : new CandidateFinder(sources, narrowing, query);
  }

  /** Returns whether the text index is faster than a scan: it exists, and every required address has many messages. */
  isWorthwhile({ epoch, range }: CandidateScope): boolean {
    if (this.#segments.list(epoch).length === 0) return false;
    return this.#requiredKeys.every(({ role, key }) => {
      const row = this.#countOfKey.get(epoch, keyRoles[role], key, range.first, range.last);
      return Number(row?.["count"]) > addressMessageCountFew;
    });
  }

  /**
   * Yields a superset of the matches in the scope, newest first; an id may be repeated. Yields undefined after each
   * unit of work that need not be repeated.
   */
  *find(scope: CandidateScope): Generator<Candidate | undefined> {
    const waiting = this.#sources(scope).toSorted((a, b) => Buffer.compare(b.last, a.last));
    const open: { head: Candidate; readonly rest: Iterator<Candidate> }[] = [];
    let place = 0;
    for (;;) {
      const newest = newestOf(open);
      const next = waiting[place];
      if (next !== undefined && (newest === undefined || Buffer.compare(next.last, newest.head.id) >= 0)) {
        place++;
        const cachedCount = this.#cachedCandidates.size;
        const rest = next.open();
        const first = rest.next();
        if (first.done !== true) open.push({ head: first.value, rest });
        if (this.#cachedCandidates.size > cachedCount) yield undefined;
      } else if (newest === undefined) {
        return;
      } else {
        yield newest.head;
        const following = newest.rest.next();
        if (following.done === true) open.splice(open.indexOf(newest), 1);
        else newest.head = following.value;
      }
    }
  }

  #sources(scope: CandidateScope): readonly CandidateSource[] {
    const { epoch, sequence, afterSequence, range } = scope;
    const segments = this.#segments.list(epoch);
    const cached = this.#cachedCandidates;
    this.#cachedCandidates = new Map();
    const ofSegments = segments.flatMap((segment) => {
      const ids = scope.direction === "Received" ? segment.received : segment.sent;
      if (ids === null || segment.lastSequence <= afterSequence || !overlap(ids, range)) return [];
      const candidates = cached.get(segment.number);
      if (candidates !== undefined) this.#cachedCandidates.set(segment.number, candidates);
      return [{ last: ids.last, open: () => this.#candidatesOf(segment, scope) }];
    });
    const gaps = gapsBetween(segments, sequence).map(({ first, last }) => ({
      first: Math.max(first, afterSequence + 1),
      last,
    }));
    const ofGaps = this.#splitAll(gaps, scope).map(({ last, gap }) => ({
      last,
      open: () => this.#ofGap(gap, epoch, range),
    }));
    const ofKeys = this.#otherKeys.map((key) => ({ last: range.last, open: () => this.#ofKey(key, scope) }));
    return [...ofSegments, ...ofGaps, ...ofKeys];
  }

  /** Splits gaps into parts of bounded size, cached as long as the gaps stay the same. */
  #splitAll(gaps: readonly Gap[], scope: CandidateScope): readonly GapPart[] {
    const key = JSON.stringify([scope.epoch, gaps]);
    if (this.#parts.key !== key) {
      this.#parts = { key, parts: gaps.flatMap((gap) => Array.from(this.#split(gap, scope))) };
    }
    return this.#parts.parts;
  }

  /** Yields the parts of a gap that have messages in the range. */
  *#split(gap: Gap, { epoch, range }: CandidateScope): Generator<GapPart> {
    let { first } = gap;
    while (first <= gap.last) {
      const row = this.#rangeOfGap.get(epoch, first, gap.last, range.first, range.last);
      const found = row as unknown as { lastSequence: number; last: Uint8Array; count: number };
      if (found.count === 0) return;
      yield { last: found.last, gap: { first, last: found.lastSequence } };
      first = found.lastSequence + 1;
    }
  }

  *#ofGap({ first, last }: Gap, epoch: number, range: IdRange): Generator<Candidate> {
    for (const row of this.#idsOfGap.all(epoch, first, last, range.first, range.last, this.#subject)) {
      yield { id: row["id"] as Uint8Array, mayMatchBody: true };
    }
  }

  *#candidatesOf(segment: Segment, { range, direction }: CandidateScope): Generator<Candidate> {
    const { number, receivedSize, unindexed } = segment;
    const pages = this.#segments.pages(segment);
    const found = this.#cachedCandidates.get(number) ?? this.#narrowing.candidates({ pages, unindexed });
    this.#cachedCandidates.set(number, found);
    const { ordinals, withBodies } = found;
    let block = -1;
    let ids: Uint8Array = new Uint8Array(0);
    const idAt = (at: number): Uint8Array => {
      const ordinal = ordinals[at] ?? 0;
      const place = ordinal % memberCountPerBlock;
      if (block !== (ordinal - place) / memberCountPerBlock) {
        block = (ordinal - place) / memberCountPerBlock;
        ids = this.#segments.members(number, block);
      }
      return ids.subarray(place * idBytes, (place + 1) * idBytes);
    };
    // Received messages have the lower ordinals; both directions are in the order of ids.
    const isBefore = (at: number): boolean => {
      const isReceived = (ordinals[at] ?? 0) < receivedSize;
      if (direction === "Received" && !isReceived) return false;
      return (direction === "Sent" && isReceived) || Buffer.compare(idAt(at), range.last) <= 0;
    };
    for (let at = countWhile(ordinals.length, isBefore) - 1; at >= 0; at -= 1) {
      const ordinal = ordinals[at] ?? 0;
      if (ordinal < receivedSize !== (direction === "Received")) return;
      const id = idAt(at);
      if (Buffer.compare(id, range.first) < 0) return;
      yield { id, mayMatchBody: withBodies?.has(ordinal) !== false };
    }
  }

  *#ofKey({ role, key }: KeyCriterion, { epoch, range }: CandidateScope): Generator<Candidate> {
    let { last } = range;
    for (;;) {
      const rows = this.#idsOfKey.all(epoch, keyRoles[role], key, range.first, last);
      for (const row of rows) {
        last = row["id"] as Uint8Array;
        yield { id: last, mayMatchBody: true };
      }
      if (rows.length < addressIdCountPerFetch) return;
    }
  }
}

/** Returns how many of the places from 0 on meet a condition that no later place meets, by bisection. */
function countWhile(count: number, meets: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (meets(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function overlap(one: IdRange, other: IdRange): boolean {
  return Buffer.compare(one.first, other.last) <= 0 && Buffer.compare(other.first, one.last) <= 0;
}

function newestOf<Open extends { readonly head: Candidate }>(open: readonly Open[]): Open | undefined {
  let newest = open[0];
  for (const one of open) if (newest !== undefined && Buffer.compare(one.head.id, newest.head.id) > 0) newest = one;
  return newest;
}

import type { StatementSync } from "node:sqlite";
import type { KeyCriterion } from "../../../core/criteria.ts";
import type { Direction } from "../../../core/message.ts";
import { Narrowing, type Candidates } from "../../signatures/narrowing.ts";
import type { RecentGramReads } from "../../signatures/recent-grams.ts";
import type { TextCondition } from "../../signatures/text-condition.ts";
import type { Statements } from "../connection/connection.ts";
import type { IdRange } from "../../page-bounds.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { GapCandidates } from "./gap-candidates.ts";
import { idBytes } from "../../signatures/arrange.ts";
import { gapsBetween, memberCountPerBlock, type Segment, type SegmentReads } from "../text-index/segments.ts";

/** Ids of an address read at once. */
const addressIdCountPerFetch = 256;
const selectIdsOfKey = `select id from address where epoch = ? and role = ? and address = ? and id between ? and ?
  order by id desc limit ${addressIdCountPerFetch}`;
/** Messages with filters from which on a search without segments uses them. */
const filteredMessageCountMin = 64;

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
  /** Filters of messages that no segment covers yet. */
  readonly recent?: RecentGramReads;
}

/** Texts and keys that matches have. */
export interface CandidateQuery {
  /** Condition that every match meets, unless it has one of {@link otherKeys}. */
  readonly condition: TextCondition;
  /** Terms that bodies are compared with; undefined when the body of every candidate is read. */
  readonly bodies?: readonly string[];
  /** Keys that make a message a candidate without any text. */
  readonly otherKeys: readonly KeyCriterion[];
}

/**
 * Finds the messages that may match one search: by the text index, and every message that it does not cover. Each slice
 * of a search must call {@link CandidateFinder.find} again, because segments change in between.
 */
export class CandidateFinder {
  readonly #segments: SegmentReads;
  readonly #recent: RecentGramReads | undefined;
  readonly #narrowing: Narrowing;
  readonly #otherKeys: readonly KeyCriterion[];
  readonly #gaps: GapCandidates;
  readonly #idsOfKey: StatementSync;
  /** Candidates of the segments read so far. */
  #cachedCandidates = new Map<number, Candidates>();

  private constructor(
    { statements, segments, recent }: CandidateDependencies,
    narrowing: Narrowing,
    query: CandidateQuery,
  ) {
    this.#segments = segments;
    this.#recent = recent;
    this.#narrowing = narrowing;
    this.#otherKeys = query.otherKeys;
    this.#gaps = new GapCandidates({ statements, recent }, narrowing);
    this.#idsOfKey = statements.get(selectIdsOfKey);
  }

  /** Creates a finder; returns undefined when no text narrows the search. */
  static of(sources: CandidateDependencies, query: CandidateQuery): CandidateFinder | undefined {
    const narrowing = Narrowing.of(query.condition, query.bodies);
    return narrowing === undefined ? undefined : new CandidateFinder(sources, narrowing, query);
  }

  /** Returns whether there are segments or enough filters, so that candidates are found faster than by a scan. */
  isWorthwhile(epoch: number): boolean {
    return (this.#recent?.countOf(epoch) ?? 0) >= filteredMessageCountMin || this.#segments.list(epoch).length > 0;
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
        const cachedCount = this.#cachedCount;
        const rest = next.open();
        const first = rest.next();
        if (first.done !== true) open.push({ head: first.value, rest });
        if (this.#cachedCount > cachedCount) yield undefined;
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

  get #cachedCount(): number {
    return this.#cachedCandidates.size + this.#gaps.readCount;
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
    const ofGaps = this.#gaps.parts(gaps, scope).map((part) => ({
      last: part.last,
      open: () => this.#gaps.candidates(part, scope),
    }));
    const ofKeys = this.#otherKeys.map((key) => ({ last: range.last, open: () => this.#ofKey(key, scope) }));
    return [...ofSegments, ...ofGaps, ...ofKeys];
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

import { hashesOfTerm } from "./grams.ts";
import { filterPlacesOf, isInFilter } from "./segment-filter.ts";
import { addOrdinalsOf, ColumnSet, OrdinalSet } from "./bit-sets.ts";
import {
  mayMeet,
  messagesMeeting,
  narrows,
  type IndexedField,
  type IndexedTerm,
  type TextCondition,
} from "./text-condition.ts";
import { recentHashesOf, type RecentHashes } from "./recent-grams.ts";
import { readGroups, RandomRowReader, readOrdinals, rowOf, type Group, type SegmentPages } from "./segment-layout.ts";

interface TermHashes {
  readonly field: IndexedField;
  /** Places in the filters of segments; those that were not set in the previous segments first. */
  readonly filterPlaces: number[];
  /** Most selective hashes of the previous segments first. */
  readonly hashes: number[];
}

/** Segment that is narrowed down. */
export interface NarrowedSegment {
  readonly pages: SegmentPages;
  /** Ordinals of messages that are candidates for every term. */
  readonly unindexed: readonly number[];
}

/** Messages of a segment that may match. */
export interface Candidates {
  /** Ascending. */
  readonly ordinals: Uint16Array;
  /** Messages whose bodies may contain one of the terms that the search compares with bodies; undefined for all. */
  readonly withBodies: OrdinalSet | undefined;
}

/** Message that no segment covers. */
export interface MessageCandidate {
  readonly isCandidate: boolean;
  readonly mayMatchBody: boolean;
}

/** Narrows a segment down to the messages that may match a condition; learns from segment to segment. */
export class Narrowing {
  readonly #condition: TextCondition;
  /** Undefined when they are not wanted, or one of them is in every body. */
  readonly #bodies: readonly IndexedTerm[] | undefined;
  /** By term object of the condition. */
  readonly #hashes = new Map<IndexedTerm, TermHashes>();
  readonly #recentHashes = new Map<string, RecentHashes>();
  /** Whether the filter of the current segment contains a term. */
  readonly #passed = new Map<IndexedTerm, boolean>();

  private constructor(condition: TextCondition, bodies: readonly string[] | undefined) {
    this.#condition = condition;
    const terms = bodies?.map((term) => ({ kind: "term", field: "body", term }) as const);
    this.#bodies = terms?.some(({ term }) => term === "") === true ? undefined : terms;
  }

  /**
   * Returns undefined for a condition that every message meets. `bodies` are all terms that the search compares with bodies;
   * undefined when it reads the body of every candidate.
   */
  static of(condition: TextCondition, bodies?: readonly string[]): Narrowing | undefined {
    return narrows(condition) ? new Narrowing(condition, bodies) : undefined;
  }

  /**
   * Returns whether a message that no segment covers may match, and whether its body may contain one of the terms that the
   * search compares with bodies. `mayContain` returns false for hashes of {@link recentHashesOf} that its texts exclude.
   */
  ofMessage(mayContain: (hashes: RecentHashes) => boolean): MessageCandidate {
    // A word is looked for in several fields, all of which are in one filter.
    let last: { readonly term: string; readonly isContained: boolean } | undefined;
    const mayHave = ({ term }: IndexedTerm): boolean => {
      if (last?.term !== term) last = { term, isContained: mayContain(this.#recentHashesOf(term)) };
      return last.isContained;
    };
    if (!mayMeet(this.#condition, mayHave)) return { isCandidate: false, mayMatchBody: false };
    return { isCandidate: true, mayMatchBody: this.#bodies?.some(mayHave) ?? true };
  }

  #recentHashesOf(term: string): RecentHashes {
    const known = this.#recentHashes.get(term);
    if (known !== undefined) return known;
    const hashes = recentHashesOf(Buffer.from(term));
    this.#recentHashes.set(term, hashes);
    return hashes;
  }

  /** Returns the messages that may match: a superset of the matches, including all of `unindexed`. */
  candidates(segment: NarrowedSegment): Candidates {
    this.#passed.clear();
    const mayContain = (term: IndexedTerm): boolean => this.#mayContain(segment, term);
    const messagesWith = (term: IndexedTerm): OrdinalSet | undefined =>
      mayContain(term) ? this.#messagesWith(segment, term) : undefined;
    const found = mayMeet(this.#condition, mayContain) ? messagesMeeting(this.#condition, messagesWith) : undefined;
    const candidates = found ?? new OrdinalSet(segment.pages.size);
    for (const ordinal of segment.unindexed) candidates.add(ordinal);
    return { ordinals: candidates.toArray(), withBodies: candidates.isEmpty ? undefined : this.#withBodies(segment) };
  }

  /** Returns the messages whose bodies may contain one of the terms; undefined for all. */
  #withBodies(segment: NarrowedSegment): OrdinalSet | undefined {
    if (this.#bodies === undefined) return undefined;
    const found = new OrdinalSet(segment.pages.size);
    for (const ordinal of segment.unindexed) found.add(ordinal);
    for (const term of this.#bodies) {
      if (this.#mayContain(segment, term)) found.addAll(this.#messagesWith(segment, term));
    }
    return found;
  }

  /** Returns false where the filter of the segment excludes every message. */
  #mayContain({ pages }: NarrowedSegment, term: IndexedTerm): boolean {
    const known = this.#passed.get(term);
    if (known !== undefined) return known;
    const mayContain = passesFilter(pages, this.#hashesOf(term));
    this.#passed.set(term, mayContain);
    return mayContain;
  }

  #messagesWith({ pages }: NarrowedSegment, term: IndexedTerm): OrdinalSet {
    return ordinalsWith(pages, this.#hashesOf(term));
  }

  #hashesOf(term: IndexedTerm): TermHashes {
    const known = this.#hashes.get(term);
    if (known !== undefined) return known;
    const bytes = Buffer.from(term.term);
    const { field } = term;
    const hashes = { field, filterPlaces: [...filterPlacesOf(field, bytes)], hashes: [...hashesOfTerm(bytes)] };
    this.#hashes.set(term, hashes);
    return hashes;
  }
}

/** Returns false where no text of the segment contains the term, as far as its filter decides. */
function passesFilter(pages: SegmentPages, { field, filterPlaces }: TermHashes): boolean {
  const absent = filterPlaces.findIndex((place) => !isInFilter(pages, field, place));
  if (absent > 0) moveToFront(filterPlaces, absent);
  return absent < 0;
}

/** Returns the messages whose signatures contain a term. */
function ordinalsWith(pages: SegmentPages, { field, hashes }: TermHashes): OrdinalSet {
  const ordinals = new OrdinalSet(pages.size);
  for (const [place, group] of readGroups(pages).entries()) {
    if (group.field !== field) continue;
    const columns = intersect(new RandomRowReader(pages, place, group), group, hashes);
    if (columns !== undefined) addOrdinalsOf(ordinals, columns, (page) => readOrdinals(pages, place, page));
  }
  return ordinals;
}

/**
 * Returns the columns that are set in the row of each hash, or some more once they are narrow. The hash that left the fewest
 * moves to the front: it will probably do so in the next segment.
 */
function intersect(reader: RandomRowReader, group: Group, hashes: number[]): Uint8Array | undefined {
  const columns = new ColumnSet(group.columnCount);
  let best = { place: 0, share: 1 };
  for (const [place, hash] of hashes.entries()) {
    const share = columns.narrow(reader.row(rowOf(hash, group)));
    if (share < best.share) best = { place, share };
    if (columns.isNarrow) break;
  }
  moveToFront(hashes, best.place);
  return columns.count === 0 ? undefined : columns.bytes;
}

function moveToFront(hashes: number[], place: number): void {
  const [hash] = hashes.splice(place, 1);
  if (hash !== undefined) hashes.unshift(hash);
}

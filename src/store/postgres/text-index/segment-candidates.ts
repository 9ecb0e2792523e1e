import { addOrdinalsOf, ColumnSet, OrdinalSet } from "../../signatures/bit-sets.ts";
import {
  mayMeet,
  messagesMeeting,
  termsOf,
  type IndexedField,
  type IndexedTerm,
  type TextCondition,
} from "../../signatures/text-condition.ts";
import { hashesOfTerm } from "../../signatures/grams.ts";
import { filterBitOf, filterPlacesOf, type FilterBit } from "../../signatures/segment-filter.ts";
import {
  columnCountPerPage,
  ordinalPageNumber,
  rowOf,
  rowPartOf,
  toOrdinals,
  toRow,
  type Group,
} from "../../signatures/segment-layout.ts";
import type { Session } from "../connection/database.ts";
import { readBits, readParts, readSlots, slotBytes, type Segment, type SegmentScope } from "./segments.ts";

/** Bits or rows that the first read takes of each segment; every further one takes four times as many. */
const firstReadCount = { bits: 3, rows: 4 };
const readFactor = 4;

interface Term {
  readonly field: IndexedField;
  /** Most selective ones first. */
  readonly bits: readonly FilterBit[];
  readonly hashes: readonly number[];
}

/** Filter that is tested for a term. */
interface TestedFilter {
  readonly term: Term;
  /** Number of a segment, or the negative one of a merged filter. */
  readonly filter: number;
  /** Segments that cannot contain the term when the filter does not. */
  readonly below: readonly Segment[];
}

/** Look-up of a term in one group of a segment. */
interface Lookup {
  readonly segment: Segment;
  readonly term: Term;
  readonly group: Group;
  /** Place of the group. */
  readonly place: number;
  readonly columns: ColumnSet;
}

/** Finds messages that may meet a condition in segments, many segments with one statement. */
export class SegmentCandidates {
  readonly #session: Session;
  readonly #scope: SegmentScope;
  readonly #condition: TextCondition;
  readonly #terms: ReadonlyMap<IndexedTerm, Term>;
  /** Segments whose filters were read, by term those that may contain it. */
  readonly #tested = new Set<Segment>();
  readonly #passed = new Map<Term, Set<Segment>>();

  constructor(session: Session, scope: SegmentScope, condition: TextCondition) {
    this.#session = session;
    this.#scope = scope;
    this.#condition = condition;
    const terms = termsOf(condition).map((one) => {
      const bytes = Buffer.from(one.term);
      const bits = filterPlacesOf(one.field, bytes).map((place) => filterBitOf(one.field, place));
      return [one, { field: one.field, bits, hashes: hashesOfTerm(bytes) }] as const;
    });
    this.#terms = new Map(terms);
  }

  /** Returns the segments that may contain matches, as far as their filters decide. */
  async exclude(segments: readonly Segment[]): Promise<readonly Segment[]> {
    await this.#passFilters(segments.filter((segment) => !this.#tested.has(segment)));
    return segments.filter((segment) => {
      return segment.unindexed.length > 0 || this.#mayMatch(segment);
    });
  }

  /** Returns the slots of messages in these segments that may match: a superset of the matches, in any order. */
  async find(segments: readonly Segment[]): Promise<readonly Uint8Array[]> {
    const found = await this.#lookUp((await this.exclude(segments)).filter((segment) => this.#mayMatch(segment)));
    const chosen = segments.flatMap((segment) => {
      const matching = this.#mayMatch(segment)
        ? messagesMeeting(this.#condition, (one) => {
            const term = this.#terms.get(one);
            return term && found.get(term)?.get(segment);
          })
        : undefined;
      const ordinals = matching ?? new OrdinalSet(segment.size);
      for (const ordinal of segment.unindexed) ordinals.add(ordinal);
      return ordinals.isEmpty ? [] : [{ number: segment.number, ordinals: ordinals.toArray() }];
    });
    const numbers = chosen.map(({ number }) => number);
    const slots = await readSlots(this.#session, this.#scope, numbers);
    return chosen.flatMap(({ number, ordinals }) => {
      const bytes = slots.get(number) ?? new Uint8Array(0);
      return Array.from(ordinals, (ordinal) => bytes.subarray(ordinal * slotBytes, (ordinal + 1) * slotBytes));
    });
  }

  /** Whether a segment whose filters were read may contain matches, apart from unindexed messages. */
  #mayMatch(segment: Segment): boolean {
    return mayMeet(this.#condition, (one) => this.#isPassed(this.#terms.get(one), segment));
  }

  #isPassed(term: Term | undefined, segment: Segment): boolean {
    return term !== undefined && this.#passed.get(term)?.has(segment) === true;
  }

  async #passFilters(segments: readonly Segment[]): Promise<void> {
    const tested = [...this.#terms.values()].flatMap((term) => filtersOf(term, segments));
    const outer = await this.#test(tested);
    const inner = outer.filter(({ filter }) => filter < 0).flatMap(({ term, below }) => singleFilters(term, below));
    const passed = [...outer.filter(({ filter }) => filter > 0), ...(await this.#test(inner))];
    for (const segment of segments) this.#tested.add(segment);
    for (const { term, below } of passed) {
      const ofTerm = this.#passed.get(term) ?? new Set();
      this.#passed.set(term, ofTerm);
      for (const segment of below) ofTerm.add(segment);
    }
  }

  /** Returns the filters that contain all bits of their terms. */
  async #test(filters: readonly TestedFilter[]): Promise<readonly TestedFilter[]> {
    let left = filters;
    let count = firstReadCount.bits;
    for (let start = 0; left.length > 0;) {
      const end = start + count;
      const requests = left.flatMap(({ term, filter }) =>
        term.bits.slice(start, end).map((bit) => ({ segment: filter, bit })),
      );
      if (requests.length === 0) break;
      const areSet = await readBits(this.#session, this.#scope, requests);
      let at = 0;
      left = left.filter(({ term }) => {
        const first = at;
        at += term.bits.slice(start, end).length;
        return areSet.slice(first, at).every(Boolean);
      });
      start = end;
      count *= readFactor;
    }
    return left;
  }

  /** Returns the messages whose signatures contain each term, by segment. */
  async #lookUp(segments: readonly Segment[]): Promise<ReadonlyMap<Term, ReadonlyMap<Segment, OrdinalSet>>> {
    const lookups: Lookup[] = [];
    for (const segment of segments) {
      for (const term of this.#terms.values()) {
        if (this.#isPassed(term, segment)) lookups.push(...lookupsOf(term, segment));
      }
    }
    await this.#narrow(lookups);
    return await this.#ordinalsOf(lookups);
  }

  /** Removes columns that lack a hash, until comparing the remaining messages is cheaper than narrowing further. */
  async #narrow(lookups: readonly Lookup[]): Promise<void> {
    let left = lookups;
    let count = firstReadCount.rows;
    for (let start = 0; left.length > 0;) {
      const end = start + count;
      const requests = left.flatMap((lookup) =>
        lookup.term.hashes.slice(start, end).map((hash) => {
          const { segment, place, group } = lookup;
          return { lookup, segment: segment.number, ...rowPartOf(place, group, rowOf(hash, group)) };
        }),
      );
      if (requests.length === 0) return;
      const parts = await readParts(this.#session, this.#scope, requests);
      for (const [at, { lookup, part }] of requests.entries()) {
        if (!lookup.columns.isNarrow) lookup.columns.narrow(toRow(part, parts[at]));
      }
      left = left.filter(({ columns }) => !columns.isNarrow);
      start = end;
      count *= readFactor;
    }
  }

  async #ordinalsOf(lookups: readonly Lookup[]): Promise<ReadonlyMap<Term, ReadonlyMap<Segment, OrdinalSet>>> {
    const found = new Map<Term, Map<Segment, OrdinalSet>>();
    const hits = lookups.filter(({ columns }) => columns.count > 0);
    const requests = hits.flatMap(({ segment, place, group }) =>
      Array.from({ length: Math.ceil(group.columnCount / columnCountPerPage) }, (_, page) => {
        const length = 2 * Math.min(columnCountPerPage, group.columnCount - page * columnCountPerPage);
        const part = { pageBytes: length, start: 0, length };
        return { segment: segment.number, page: ordinalPageNumber(place, page), part };
      }),
    );
    const parts = await readParts(this.#session, this.#scope, requests);
    let at = 0;
    for (const { segment, term, group, columns } of hits) {
      const first = at;
      at += Math.ceil(group.columnCount / columnCountPerPage);
      const ofTerm = found.get(term) ?? new Map<Segment, OrdinalSet>();
      const ordinals = ofTerm.get(segment) ?? new OrdinalSet(segment.size);
      found.set(term, ofTerm.set(segment, ordinals));
      addOrdinalsOf(ordinals, columns.bytes, (page) => {
        const part = parts[first + page];
        if (part === undefined) throw new Error("an ordinal table of the text index is missing");
        return toOrdinals(part.bytes);
      });
    }
    return found;
  }
}

/** Returns the filters that decide for all segments together: merged ones of subjects, and those of the other segments. */
function filtersOf(term: Term, segments: readonly Segment[]): readonly TestedFilter[] {
  const merged = Map.groupBy(segments, ({ mergedFilter }) => (term.field === "subject" ? mergedFilter : null));
  return [...merged].flatMap(([number, below]) =>
    number === null ? singleFilters(term, below) : [{ term, filter: -number, below }],
  );
}

function singleFilters(term: Term, segments: readonly Segment[]): readonly TestedFilter[] {
  return segments.map((segment) => ({ term, filter: segment.number, below: [segment] }));
}

function lookupsOf(term: Term, segment: Segment): readonly Lookup[] {
  return segment.groups.flatMap((group, place) => {
    if (group.field !== term.field) return [];
    return [{ segment, term, group, place, columns: new ColumnSet(group.columnCount) }];
  });
}

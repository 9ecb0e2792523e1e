import type { Match } from "../../../core/criteria.ts";
import { termGrams } from "./grams.ts";
import type { GramField, GramRange } from "./grams.ts";
import { OrdinalSet } from "./posting.ts";
import { readGrams } from "./segment-pages.ts";
import type { SegmentPages } from "./segment-pages.ts";

/** What looking at one candidate costs, in look-ups of grams. */
const readsPerCandidate = 2;

/** A folded term and the field that must contain it. */
export interface TextCriterion {
  readonly field: GramField;
  readonly term: string;
}

/** Narrows a segment down to the messages that may meet some text criteria; learns from segment to segment. */
export class Narrowing {
  /** Each alternative is a list of ranges of which a message must have one gram each. */
  readonly #alternatives: GramRange[][];

  private constructor(alternatives: GramRange[][]) {
    this.#alternatives = alternatives;
  }

  /** Undefined where grams cannot narrow: with ALL no term has any, with ANY one of the terms has none. */
  static of(criteria: readonly TextCriterion[], match: Match): Narrowing | undefined {
    const ranges = criteria.map(({ field, term }) => [...termGrams(new TextEncoder().encode(term), field)]);
    const alternatives = match === "ANY" ? ranges : [ranges.flat()];
    const narrows = alternatives.length > 0 && alternatives.every((one) => one.length > 0);
    return narrows ? new Narrowing(alternatives) : undefined;
  }

  /** Ordinals that may meet the criteria: all that do are among them, and all of `unindexed`. */
  candidates(segment: SegmentPages, unindexed: readonly number[]): OrdinalSet {
    const found = new OrdinalSet(segment.size);
    for (const ranges of this.#alternatives) {
      const set = intersect(segment, ranges);
      if (set !== undefined) found.unite(set);
    }
    for (const ordinal of unindexed) found.add(ordinal);
    return found;
  }
}

/**
 * The messages that have a gram of each range, or some more, once looking at them is cheaper than narrowing further.
 * The range that left none over moves to the front: it will probably do so in the next segment.
 */
function intersect(segment: SegmentPages, ranges: GramRange[]): OrdinalSet | undefined {
  let set: OrdinalSet | undefined;
  let count = Infinity;
  let fruitless = 0;
  for (const [place, range] of ranges.entries()) {
    const found = readGrams(segment, range);
    if (found !== undefined && set !== undefined) set.intersect(found);
    else set = found;
    const left = set?.count() ?? 0;
    if (left === 0) {
      ranges.splice(place, 1);
      ranges.unshift(range);
      return undefined;
    }
    fruitless = left < count ? 0 : fruitless + 1;
    count = left;
    if (fruitless > count * readsPerCandidate) break;
  }
  return set;
}

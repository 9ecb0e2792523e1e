import type { Match, TextCriterion, TextField } from "../../core/criteria.ts";
import { hashesOfTerm } from "./grams.ts";
import { filterPlacesOf, isInFilter } from "./segment-filter.ts";
import { addOrdinalsOf, ColumnSet } from "./column-set.ts";
import { OrdinalSet } from "./ordinal-set.ts";
import { readGroups, RandomRowReader, readOrdinals } from "./segment-layout.ts";
import type { Group, SegmentPages } from "./segment-layout.ts";

/** Cost of comparing one candidate, in rows read. */
const readsPerCandidate = 4;

interface TermHashes {
  readonly field: TextField;
  /** Places in the filters of segments; those that were not set in the previous segments first. */
  readonly filterPlaces: number[];
  /** Most selective hashes of the previous segments first. */
  readonly hashes: number[];
}

/** Narrows a segment down to the messages that may match text criteria; learns from segment to segment. */
export class Narrowing {
  /** Alternatives, each a list of terms that a message must all contain. */
  readonly #alternatives: readonly (readonly TermHashes[])[];

  private constructor(alternatives: readonly (readonly TermHashes[])[]) {
    this.#alternatives = alternatives;
  }

  /** Creates a filter; returns undefined when no term has a gram (ALL) or one of the terms has none (ANY). */
  static of(criteria: readonly TextCriterion[], match: Match): Narrowing | undefined {
    const terms = criteria.map(({ field, term }) => {
      const bytes = Buffer.from(term);
      return { field, filterPlaces: [...filterPlacesOf(field, bytes)], hashes: [...hashesOfTerm(bytes)] };
    });
    const alternatives = match === "ANY" ? terms.map((term) => [term]) : [terms];
    const narrows = alternatives.every((one) => one.some(({ hashes }) => hashes.length > 0));
    return narrows && terms.length > 0 ? new Narrowing(alternatives) : undefined;
  }

  /** Returns the ordinals that may match, ascending: a superset of the matches, including all of `unindexed`. */
  candidates(pages: SegmentPages, unindexed: readonly number[]): Uint16Array {
    const alternatives = this.#alternatives.filter((terms) => terms.every((term) => passesFilter(pages, term)));
    if (alternatives.length === 0) return Uint16Array.from(unindexed).sort();
    const found = new OrdinalSet(pages.size);
    for (const ordinal of unindexed) found.add(ordinal);
    for (const terms of alternatives) {
      let ordinals: OrdinalSet | undefined;
      for (const term of terms) {
        if (term.hashes.length === 0 || ordinals?.isEmpty === true) continue;
        const more = ordinalsWith(pages, term);
        if (ordinals === undefined) ordinals = more;
        else ordinals.intersect(more);
      }
      if (ordinals !== undefined) found.addAll(ordinals);
    }
    return found.toArray();
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
 * Returns the columns that are set in the row of each hash, or some more once comparing them is cheaper than narrowing
 * further. The hash that left the fewest moves to the front: it will probably do so in the next segment.
 */
function intersect(
  reader: RandomRowReader,
  { exponent, columnCount }: Group,
  hashes: number[],
): Uint8Array | undefined {
  const columns = new ColumnSet(columnCount / 8);
  let count = columnCount;
  let best = { place: 0, share: 1 };
  let fruitless = 0;
  for (const [place, hash] of hashes.entries()) {
    const row = reader.row((hash & (2 ** exponent - 1)) >>> 0);
    const left = row === undefined ? 0 : columns.intersect(row);
    const share = left / count;
    if (share < best.share) best = { place, share };
    fruitless = left < count ? 0 : fruitless + 1;
    count = left;
    if (count === 0 || fruitless > count * readsPerCandidate) break;
  }
  moveToFront(hashes, best.place);
  return count === 0 ? undefined : columns.bytes;
}

function moveToFront(hashes: number[], place: number): void {
  const [hash] = hashes.splice(place, 1);
  if (hash !== undefined) hashes.unshift(hash);
}

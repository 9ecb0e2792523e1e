import { PageParcels } from "./page-parcel.ts";
import type { PageParcel } from "./page-parcel.ts";
import { OrdinalSet } from "./posting.ts";
import { KeyCursor, KeyPageWriter, keyPageNumberMax, placeOf, readSets, SetPageWriter } from "./segment-pages.ts";
import type { SegmentPages } from "./segment-pages.ts";

/** Combinations of sets that are remembered for sharing; beyond, sets are no longer shared, so memory stays bounded. */
const combinationCountMax = 1 << 15;

/** Set pages of a source that are kept at hand. */
const setPageCountMax = 256;

/** A segment that goes into another: `ordinals` gives each of its messages the new place, or −1 where it is left out. */
export interface MergeSource {
  readonly pages: SegmentPages;
  readonly ordinals: Int32Array;
}

/** The pages of a segment of `size` messages that holds what the sources hold, in portions; at last its size. */
export function* mergeSegments(
  sources: readonly MergeSource[],
  size: number,
): Generator<readonly PageParcel[], number> {
  const parcels = new PageParcels();
  const target: MergeTarget = {
    keyPages: new KeyPageWriter(parcels),
    setPages: new SetPageWriter(parcels),
    references: new Map(),
    scratch: new OrdinalSet(size),
  };
  const cursors = sources.map((source, place) => new SourceCursor(source, place)).filter((one) => one.advance());
  while (cursors.length > 0) {
    let key = Infinity;
    for (const cursor of cursors) if (cursor.key < key) key = cursor.key;
    const owners = cursors.filter((cursor) => cursor.key === key);
    writeKey(key, owners, target);
    for (const owner of owners) if (!owner.advance()) cursors.splice(cursors.indexOf(owner), 1);
    if (parcels.hasFull) yield parcels.takeFull();
  }
  target.keyPages.finish();
  target.setPages.finish();
  yield parcels.takeAll();
  return size;
}

interface MergeTarget {
  readonly keyPages: KeyPageWriter;
  readonly setPages: SetPageWriter;
  /** Where a combination of the sources' shared sets went. */
  readonly references: Map<string, number>;
  /** Room for one set. */
  readonly scratch: OrdinalSet;
}

function writeKey(key: number, owners: readonly SourceCursor[], target: MergeTarget): void {
  const [first] = owners;
  if (owners.length === 1 && first !== undefined && first.single >= 0) {
    const ordinal = first.ordinals[first.single] ?? -1;
    if (ordinal >= 0) target.keyPages.addSingle(key, ordinal);
    return;
  }
  const combination = nameOf(owners);
  const known = combination === undefined ? undefined : target.references.get(combination);
  if (known === undefined) writeSet(key, combination, { ...target, set: unite(owners, target.scratch) });
  else target.keyPages.addShared(key, known);
}

/** Names the sets that owners have, where all of them are shared. */
function nameOf(owners: readonly SourceCursor[]): string | undefined {
  if (owners.some((owner) => owner.reference < 0)) return undefined;
  return owners.map((owner) => `${owner.place}:${owner.reference}`).join();
}

function unite(owners: readonly SourceCursor[], scratch: OrdinalSet): OrdinalSet {
  scratch.words.fill(0);
  for (const owner of owners) owner.addTo(scratch);
  return scratch;
}

function writeSet(key: number, combination: string | undefined, target: MergeTarget & { set: OrdinalSet }): void {
  const { set, keyPages, setPages, references } = target;
  const count = set.count();
  if (count === 0) return;
  if (count === 1) {
    keyPages.addSingle(key, set.first());
  } else if (combination === undefined || references.size >= combinationCountMax) {
    keyPages.addOwn(key, set);
  } else {
    const reference = setPages.add(set);
    references.set(combination, reference);
    keyPages.addShared(key, reference);
  }
}

/** Walks over all keys of a source. */
class SourceCursor {
  readonly place: number;
  readonly ordinals: Int32Array;
  readonly #pages: SegmentPages;
  readonly #rest: Iterator<Uint8Array>;
  /** What is added to each ordinal, where that is the same for all. */
  readonly #offset: number | undefined;
  /** Set pages that were read. */
  readonly #sets = new Map<number, readonly OrdinalSet[]>();
  #cursor: KeyCursor | undefined;

  constructor({ pages, ordinals }: MergeSource, place: number) {
    this.place = place;
    this.ordinals = ordinals;
    this.#pages = pages;
    this.#offset = offsetOf(ordinals);
    this.#rest = pages.readKeyPages(0, keyPageNumberMax)[Symbol.iterator]();
  }

  get key(): number {
    return this.#cursor?.key ?? Infinity;
  }

  get single(): number {
    return this.#cursor?.single ?? -1;
  }

  get reference(): number {
    return this.#cursor?.reference ?? -1;
  }

  /** Goes to the next key; false at the end. */
  advance(): boolean {
    while (this.#cursor === undefined || !this.#cursor.advance()) {
      const next = this.#rest.next();
      if (next.done === true) return false;
      this.#cursor = new KeyCursor(this.#pages, next.value);
    }
    return true;
  }

  /** Adds the messages of the present key under their new ordinals. */
  addTo(set: OrdinalSet): void {
    const found = this.#set();
    if (this.#offset === undefined) {
      for (const member of found?.members() ?? []) {
        const ordinal = this.ordinals[member] ?? -1;
        if (ordinal >= 0) set.add(ordinal);
      }
    } else if (found !== undefined) {
      set.unite(found, this.#offset);
    }
  }

  #set(): OrdinalSet | undefined {
    if (this.reference < 0) return this.#cursor?.set();
    const { page, place } = placeOf(this.reference);
    const known = this.#sets.get(page);
    if (known !== undefined) return known[place];
    if (this.#sets.size >= setPageCountMax) this.#sets.clear();
    const sets = readSets(this.#pages, page);
    this.#sets.set(page, sets);
    return sets[place];
  }
}

function offsetOf(ordinals: Int32Array): number | undefined {
  const [offset = 0] = ordinals;
  return offset >= 0 && ordinals.every((ordinal, place) => ordinal === offset + place) ? offset : undefined;
}

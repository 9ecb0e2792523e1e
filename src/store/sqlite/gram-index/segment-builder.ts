import { release } from "./arrays.ts";
import { partitionGrams } from "./gram-partitions.ts";
import type { GramField } from "./grams.ts";
import { KeyTable } from "./key-table.ts";
import { PageParcels } from "./page-parcel.ts";
import type { PageParcel } from "./page-parcel.ts";
import { readPieceSets, wordsOf } from "./piece-sets.ts";
import type { PieceSets } from "./piece-sets.ts";
import { PieceTable } from "./piece-table.ts";
import { OrdinalSet } from "./posting.ts";
import { KeyPageWriter, SetPageWriter } from "./segment-pages.ts";
import { SetDictionary } from "./set-dictionary.ts";

/** What one builder holds at most, apart from the message that reaches a bound. */
const pieceBytesPerSegmentMax = 4 * 1024 * 1024;
const stateCountMax = 1 << 20;
/** Texts longer than this are not worth their grams: the segment offers their messages for every term. */
const indexedBytesMax = 1024 * 1024;

/** The searchable texts of one message, folded, as UTF-8. */
export interface MessageTexts {
  readonly subject: Uint8Array;
  readonly body: Uint8Array;
}

/** How a segment came out, apart from its pages. */
export interface BuiltSegment {
  /** How many messages it numbers. */
  readonly size: number;
  /** Ordinals of messages that are candidates whatever the term. */
  readonly unindexed: readonly number[];
}

/** Gathers messages, then makes the pages of their segment. Memory is bounded by some tens of megabytes. */
export class SegmentBuilder {
  readonly #sizeMax: number;
  readonly #pieces = new PieceTable();
  readonly #unindexed: number[] = [];
  #size = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the segment must be finished before another message comes. */
  get isFull(): boolean {
    return (
      this.#size >= this.#sizeMax ||
      this.#pieces.byteCount >= pieceBytesPerSegmentMax ||
      this.#pieces.states.count >= stateCountMax
    );
  }

  add(texts: MessageTexts): void {
    const message = this.#size++;
    if (texts.subject.length + texts.body.length > indexedBytesMax) {
      this.#unindexed.push(message);
      return;
    }
    this.#pieces.add(texts.subject, "subject", message);
    this.#pieces.add(texts.body, "body", message);
  }

  /**
   * The pages, in portions between which the caller may pause. `ordinals` gives each message, in the order of their
   * adding, its place in the segment: a permutation of 0 … size − 1. Nothing can be added afterwards.
   */
  *finish(ordinals: readonly number[]): Generator<readonly PageParcel[], BuiltSegment> {
    const parcels = new PageParcels();
    const sets = readPieceSets(this.#pieces, ordinals);
    const keys = new KeyTable(sets);
    const keyPages = new KeyPageWriter(parcels);
    const setPages = new SetPageWriter(parcels);
    const dictionary = new SetDictionary(setPages, this.#size);
    for (const field of ["subject", "body"] as const) {
      for (const grams of partitionGrams({ pieces: this.#pieces, field, setOf: sets.setOf })) {
        keys.clear();
        keys.add(grams);
        writeKeys(keys, { field, sets, dictionary, keyPages });
        yield parcels.takeFull();
      }
    }
    keyPages.finish();
    setPages.finish();
    keys.release();
    dictionary.release();
    release(sets.words, sets.setOf);
    this.#pieces.release();
    yield parcels.takeAll();
    return { size: this.#size, unindexed: this.#unindexed.map((message) => ordinals[message] ?? 0) };
  }
}

interface Output {
  readonly field: GramField;
  readonly sets: PieceSets;
  readonly dictionary: SetDictionary;
  readonly keyPages: KeyPageWriter;
}

function writeKeys(keys: KeyTable, { field, sets, dictionary, keyPages }: Output): void {
  for (const key of keys.sortedKeys(field)) {
    const value = keys.valueOf(key);
    if (value >= 0 && value < sets.size) {
      keyPages.addSingle(key, value);
      continue;
    }
    const words = value < 0 ? keys.ownWords(value) : wordsOf(sets, value);
    const reference = dictionary.referenceOf(words);
    if (reference === undefined) keyPages.addOwn(key, new OrdinalSet(dictionary.size, words));
    else keyPages.addShared(key, reference);
  }
}

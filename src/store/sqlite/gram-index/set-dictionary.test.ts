import { expect, test } from "vitest";
import { OrdinalSet } from "./posting.ts";
import { readSets, SetPageWriter } from "./segment-pages.ts";
import { PageParcels } from "./page-parcel.ts";
import type { Page } from "./page-parcel.ts";
import { SetDictionary } from "./set-dictionary.ts";
import { pagesOf, segmentOf } from "./segment.test-aid.ts";

const size = 64;

function words(members: readonly number[]): Uint32Array {
  const set = new OrdinalSet(size);
  for (const member of members) set.add(member);
  return set.words;
}

function aDictionary(): { dictionary: SetDictionary; pages: Page[]; finish: () => void } {
  const pages: Page[] = [];
  const parcels = new PageParcels();
  const writer = new SetPageWriter(parcels);
  return {
    dictionary: new SetDictionary(writer, size),
    pages,
    finish: () => {
      writer.finish();
      pages.push(...pagesOf(parcels.takeAll()));
    },
  };
}

test("equal sets have one reference, and lie in the pages once", () => {
  const { dictionary, pages, finish } = aDictionary();
  const one = dictionary.referenceOf(words([1, 2, 3, 4]));
  const other = dictionary.referenceOf(words([1, 2, 3, 60]));
  expect(dictionary.referenceOf(words([1, 2, 3, 4]))).toBe(one);
  expect(other).not.toBe(one);
  finish();
  const sets = pages.flatMap((page) => [...readSets(segmentOf(pages, size), page.number)]);
  expect(sets.map((set) => set.members())).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 60],
  ]);
});

test("sets of up to three are not worth a reference", () => {
  const { dictionary } = aDictionary();
  expect(dictionary.referenceOf(words([1, 2, 63]))).toBeUndefined();
  expect(dictionary.referenceOf(words([1, 2, 3, 63]))).toBe(0);
});

test("takes 32,768 sets and tells of the next ones that they are not taken", () => {
  const { dictionary } = aDictionary();
  const set = (number: number) => {
    const bits = words([60, 61, 62, 63]);
    bits[0] = number;
    return bits;
  };
  for (let number = 0; number < 32_768; number++) expect(dictionary.referenceOf(set(number))).toBeDefined();
  expect(dictionary.referenceOf(set(32_768))).toBeUndefined();
  expect(dictionary.referenceOf(set(5))).toBeDefined();
  dictionary.release();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gramKeyEnd } from "./grams.ts";
import { OrdinalSet } from "./posting.ts";
import { keyPageNumberMax, KeyPageWriter, placeOf, readGrams, readSets, SetPageWriter } from "./segment-pages.ts";
import { PageParcels } from "./page-parcel.ts";
import type { Page } from "./page-parcel.ts";
import { pagesOf, segmentOf } from "./segment.test-aid.ts";

const size = 100;

function setOf(members: readonly number[]): OrdinalSet {
  const set = new OrdinalSet(size);
  for (const member of members) set.add(member);
  return set;
}

interface Entry {
  readonly key: number;
  readonly members: readonly number[];
  readonly isShared: boolean;
}

function write(entries: readonly Entry[]): Page[] {
  const parcels = new PageParcels();
  const keyPages = new KeyPageWriter(parcels);
  const setPages = new SetPageWriter(parcels);
  for (const { key, members, isShared } of entries) {
    if (members.length === 1) keyPages.addSingle(key, members[0] ?? 0);
    else if (isShared) keyPages.addShared(key, setPages.add(setOf(members)));
    else keyPages.addOwn(key, setOf(members));
  }
  keyPages.finish();
  setPages.finish();
  return pagesOf(parcels.takeAll());
}

const members = fc
  .uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 60 })
  .map((all) => all.sort((a, b) => a - b));
const key = fc.oneof(
  fc.nat(5000),
  fc.maxSafeNat().map((number) => number % gramKeyEnd),
);
const arbitraryEntries = fc
  .uniqueArray(fc.record({ key, members, isShared: fc.boolean() }), { selector: (entry) => entry.key, maxLength: 300 })
  .map((entries) => entries.sort((a, b) => a.key - b.key));

describe("key pages", () => {
  test("tell of any range of keys the messages that were written for it", () => {
    fc.assert(
      fc.property(arbitraryEntries, fc.array(fc.tuple(key, key)), (entries, ranges) => {
        const segment = segmentOf(write(entries), size);
        const single = entries.map((entry) => [entry.key, entry.key] as const);
        for (const [one, other] of [...ranges, ...single]) {
          const [first, last] = [Math.min(one, other), Math.max(one, other)];
          const within = entries.filter((entry) => entry.key >= first && entry.key <= last);
          const expected = new Set(within.flatMap((entry) => entry.members));
          expect(new Set(readGrams(segment, { first, last })?.members())).toEqual(expected);
        }
      }),
    );
  });

  test("are numbered in ascending order from 0 to the number that the last key leads to", () => {
    const entries = [0, gramKeyEnd - 1].map((one) => ({ key: one, members: [1], isShared: false }));
    const numbers = write(entries).map((page) => page.number);
    expect(numbers[0]).toBe(0);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(keyPageNumberMax);
    expect(Math.floor((gramKeyEnd - 1) / 2 ** 12)).toBe(keyPageNumberMax);
  });

  test("never part keys of one prefix, however many they are", () => {
    const entries = Array.from({ length: 4096 }, (_, low) => ({
      key: 4096 * 7 + low,
      members: [3, 5],
      isShared: false,
    }));
    const after = { key: 4096 * 8, members: [9], isShared: false };
    const pages = write([...entries, after]);
    expect(pages.map((page) => page.number)).toEqual([7, 8]);
    expect(readGrams(segmentOf(pages, size), { first: 4096 * 7 + 4095, last: 4096 * 8 })?.members()).toEqual([3, 5, 9]);
  });

  test("hold nothing for a key that was not written", () => {
    const segment = segmentOf(write([{ key: 10, members: [1], isShared: false }]), size);
    expect(readGrams(segment, { first: 9, last: 9 })).toBeUndefined();
    expect(readGrams(segment, { first: 11, last: 4000 })).toBeUndefined();
    expect(readGrams(segmentOf([], size), { first: 0, last: gramKeyEnd - 1 })).toBeUndefined();
  });
});

describe("set pages", () => {
  test("hold each set at its place", () => {
    fc.assert(
      fc.property(fc.array(members, { minLength: 1, maxLength: 600 }), (all) => {
        const parcels = new PageParcels();
        const writer = new SetPageWriter(parcels);
        const references = all.map((one) => writer.add(setOf(one)));
        writer.finish();
        const segment = segmentOf(pagesOf(parcels.takeAll()), size);
        for (const [at, reference] of references.entries()) {
          const { page, place } = placeOf(reference);
          expect(readSets(segment, page)[place]?.members()).toEqual(all[at]);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("that are missing are told from sets that are empty", () => {
    const pages = write([{ key: 10, members: [1, 2, 3, 4], isShared: true }]);
    const segment = segmentOf(
      pages.filter((page) => page.kind === "key"),
      size,
    );
    expect(() => readGrams(segment, { first: 10, last: 10 })).toThrow(/missing/);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteReader, ByteWriter } from "./byte-writer.ts";
import { OrdinalSet, readPosting, writePosting } from "./posting.ts";

const arbitrarySet = fc.integer({ min: 1, max: 700 }).chain((size) => {
  const ordinal = fc.nat(size - 1);
  const sparse = fc.uniqueArray(ordinal, { maxLength: 8 });
  const dense = fc.uniqueArray(ordinal, { maxLength: size });
  const nearlyAll = sparse.map((left) =>
    Array.from({ length: size }, (_, one) => one).filter((one) => !left.includes(one)),
  );
  return fc.oneof(sparse, dense, nearlyAll).map((members) => setOf(size, members));
});

function setOf(size: number, members: readonly number[]): OrdinalSet {
  const set = new OrdinalSet(size);
  for (const member of members) set.add(member);
  return set;
}

function encode(set: OrdinalSet): Uint8Array {
  const writer = new ByteWriter();
  writePosting(writer, set);
  return writer.take();
}

describe("a set of ordinals", () => {
  test("knows its members, their number and the first of them", () => {
    const set = setOf(70, [69, 3, 32, 3]);
    expect(set.members()).toEqual([3, 32, 69]);
    expect(set.count()).toBe(3);
    expect(set.first()).toBe(3);
    expect([set.has(32), set.has(33)]).toEqual([true, false]);
    expect(new OrdinalSet(70).first()).toBe(-1);
  });

  test("intersects and unites as sets do", () => {
    const members = fc.uniqueArray(fc.nat(99));
    fc.assert(
      fc.property(members, members, (one, other) => {
        const both = setOf(100, one);
        both.intersect(setOf(100, other));
        expect(both.members()).toEqual(one.filter((member) => other.includes(member)).sort((a, b) => a - b));
        const either = setOf(100, one);
        either.unite(setOf(100, other));
        expect(either.members()).toEqual([...new Set([...one, ...other])].sort((a, b) => a - b));
      }),
    );
  });
});

describe("a posting", () => {
  test("gives back the set it was written from and ends where the next begins", () => {
    fc.assert(
      fc.property(fc.array(arbitrarySet), (sets) => {
        const writer = new ByteWriter();
        for (const set of sets) writePosting(writer, set);
        const reader = new ByteReader(writer.take());
        for (const set of sets) expect(readPosting(reader, set.size).members()).toEqual(set.members());
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  test("takes a few bytes where nearly none or nearly all are in it, and never much more than its bits", () => {
    const all = Array.from({ length: 1000 }, (_, one) => one);
    expect(encode(setOf(1000, [5, 900])).length).toBeLessThanOrEqual(4);
    expect(encode(setOf(1000, all)).length).toBeLessThanOrEqual(2);
    expect(encode(setOf(1000, all.slice(0, 998))).length).toBeLessThanOrEqual(6);
    expect(
      encode(
        setOf(
          1000,
          all.filter((one) => one % 2 === 0),
        ),
      ).length,
    ).toBeLessThanOrEqual(1000 / 8 + 2);
  });

  test("never reads more members than there can be, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 300 }), (bytes, size) => {
        expect(readPosting(new ByteReader(bytes), size).count()).toBeLessThanOrEqual(size);
      }),
    );
  });
});

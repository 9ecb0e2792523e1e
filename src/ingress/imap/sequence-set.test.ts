import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatSequenceSet, readSequenceSet, resolveSequenceSet } from "./sequence-set.ts";

describe("a sequence set", () => {
  test.each([
    ["1", [{ first: 1, last: 1 }]],
    ["*", [{ first: "*", last: "*" }]],
    [
      "2:4,*:7",
      [
        { first: 2, last: 4 },
        { first: "*", last: 7 },
      ],
    ],
    ["4294967295", [{ first: 4_294_967_295, last: 4_294_967_295 }]],
  ])("is read from %s", (text, ranges) => {
    expect(readSequenceSet(text)).toEqual(ranges);
  });

  test.each(["", "0", "1:", ":1", "1:2:3", "1,", "a", "01", "-1", "4294967296", "1 2", "1,".repeat(1000) + "1"])(
    "is rejected: %j",
    (text) => {
      expect(readSequenceSet(text)).toBeUndefined();
    },
  );

  test("contains each number once, in order", () => {
    expect(resolveSequenceSet(readSequenceSet("5:7,3,*:9,6:8,1:2") ?? [], 10)).toEqual([
      { first: 1, last: 3 },
      { first: 5, last: 10 },
    ]);
    expect(resolveSequenceSet(readSequenceSet("5:*") ?? [], 3)).toEqual([{ first: 3, last: 5 }]);
  });

  test("is written with ranges", () => {
    expect(formatSequenceSet([])).toBe("");
    expect(formatSequenceSet([1, 2, 3, 5, 7, 8])).toBe("1:3,5,7:8");
  });

  test("is the same after writing and reading", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (some) => {
        const ascending = some.toSorted((a, b) => a - b);
        const ranges = resolveSequenceSet(readSequenceSet(formatSequenceSet(ascending)) ?? [], 1);
        const read = ranges.flatMap(({ first, last }) =>
          Array.from({ length: last - first + 1 }, (_, at) => first + at),
        );
        expect(read).toEqual(ascending);
      }),
    );
  });
});

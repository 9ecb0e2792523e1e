import fc from "fast-check";
import { expect, test } from "vitest";
import { ComparedChanges } from "./waiters.ts";

function comparedOf(...sequences: readonly number[]): ComparedChanges {
  const compared = new ComparedChanges();
  for (const sequence of sequences) compared.add(sequence);
  return compared;
}

test("the first of the changes without gap is found in any order of changes, some of them repeated", () => {
  const sequence = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 60 }), sequence, (added, wanted) => {
      const compared = comparedOf(...added);
      let first = wanted + 1;
      while (added.includes(first - 1)) first -= 1;
      expect(compared.firstBefore(wanted)).toBe(first);
      expect(compared.last).toBe(Math.max(0, ...added));
    }),
  );
});

test("changes before the 64 last gaps are forgotten", () => {
  const compared = comparedOf(...Array.from({ length: 64 }, (_, at) => 10 + 2 * at));
  expect(compared.firstBefore(10)).toBe(10);
  compared.add(1000);
  expect([10, 12, 1000].map((sequence) => compared.firstBefore(sequence))).toEqual([11, 12, 1000]);
});

test("no change is known after all were forgotten", () => {
  const compared = comparedOf(1, 2);
  compared.clear();
  expect([compared.last, compared.firstBefore(2)]).toEqual([0, 3]);
});

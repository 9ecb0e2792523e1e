import fc from "fast-check";
import { expect, test } from "vitest";
import { gramKey } from "./grams.ts";
import { KeyTable } from "./key-table.ts";
import type { NumberedSets } from "./piece-sets.ts";
import { OrdinalSet } from "./posting.ts";

const size = 40;
/** Two sets of several after the forty single ones. */
const severals = [
  [1, 2, 33],
  [2, 39],
];
const sets: NumberedSets = {
  size,
  wordCount: 2,
  words: Uint32Array.from(
    severals.flatMap((members) => {
      const set = new OrdinalSet(size);
      for (const member of members) set.add(member);
      return [...set.words];
    }),
  ),
};

function membersOf(number: number): readonly number[] {
  return number < size ? [number] : (severals[number - size] ?? []);
}

const meeting = fc.record({
  high: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  low: fc.nat(3),
  set: fc.nat(size + severals.length - 1),
});

test("tells of each key the union of the sets that it was met with, in the order of keys", () => {
  const highs = fc.uniqueArray(meeting, { selector: ({ high }) => high, maxLength: 20 });
  const picks = fc.array(fc.record({ place: fc.nat(), low: fc.nat(2), set: fc.nat(size + severals.length - 1) }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(highs, picks, (known, meetings) => {
      const table = new KeyTable(sets);
      const expected = new Map<number, Set<number>>();
      for (const { place, low, set } of meetings) {
        const high = known[place % Math.max(1, known.length)]?.high ?? 1;
        table.add({ high: Uint32Array.of(high), low: Uint16Array.of(low), sets: Int32Array.of(set) });
        const key = gramKey("body", high, low);
        expected.set(key, (expected.get(key) ?? new Set()).union(new Set(membersOf(set))));
      }
      expect([...table.sortedKeys("body")]).toEqual([...expected.keys()].sort((a, b) => a - b));
      for (const [key, members] of expected) {
        const value = table.valueOf(key);
        const found = value < 0 ? new OrdinalSet(size, table.ownWords(value)).members() : membersOf(value);
        expect(found).toEqual([...members].sort((a, b) => a - b));
      }
    }),
  );
});

test("forgets all when it is cleared", () => {
  const table = new KeyTable(sets);
  const high = Uint32Array.of(0x0001_0000, 0x0002_0000);
  table.add({ high, low: new Uint16Array(2), sets: Int32Array.of(0, 1) });
  expect([...table.sortedKeys("subject")]).toEqual([...high].map((one) => gramKey("subject", one, 0)));
  table.clear();
  expect(table.count).toBe(0);
  table.add({ high: high.subarray(1), low: new Uint16Array(1), sets: Int32Array.of(size) });
  expect([...table.sortedKeys("subject")]).toEqual([gramKey("subject", 0x0002_0000, 0)]);
  expect(table.valueOf(gramKey("subject", 0x0002_0000, 0))).toBe(size);
});

test("holds hundreds of thousands of keys, also such as follow one another", () => {
  const table = new KeyTable(sets);
  const grams = { high: new Uint32Array(256), low: new Uint16Array(256), sets: new Int32Array(256) };
  for (let start = 0; start < 300_000; start += 256) {
    for (let at = 0; at < 256; at++) {
      grams.high[at] = 0x6161_0000 + ((start + at) >>> 4);
      grams.low[at] = (start + at) & 15;
    }
    grams.sets.fill(start % size);
    table.add(grams);
  }
  const keys = table.sortedKeys("body");
  expect(keys.length).toBe(table.count);
  expect(keys.every((key, at) => at === 0 || key > (keys[at - 1] ?? 0))).toBe(true);
  expect(table.valueOf(gramKey("body", 0x6161_0000, 3))).toBe(0);
});

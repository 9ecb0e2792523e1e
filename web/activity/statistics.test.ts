import fc from "fast-check";
import { expect, test } from "vitest";
import type { Summary } from "../wire.ts";
import { countByClass, receivedOverTime, spreadOf, topContacts } from "./statistics.ts";

const now = Date.UTC(2026, 10, 20, 12);
const received = (ageMs: number): Summary => ({ received: new Date(now - ageMs).toISOString() }) as Summary;

test("counts every message in one of 30 to 62 intervals, whatever its age", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40_000_000_000), { minLength: 1, maxLength: 50 }), (ages) => {
      const { stepMs, buckets } = receivedOverTime(ages.map(received), now);
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(ages.length);
      expect(buckets.length).toBeGreaterThanOrEqual(30);
      expect(buckets.length).toBeLessThanOrEqual(62);
      for (const [at, bucket] of buckets.entries())
        expect(bucket.startMs).toBe((buckets[0]?.startMs ?? 0) + at * stepMs);
    }),
  );
});

test("returns no intervals without messages", () => {
  expect(receivedOverTime([], now).buckets).toEqual([]);
});

test("ranks contacts case-insensitively, each once per message", () => {
  const contact = (email: string) => ({ name: "", email, phone: null });
  const lists = [[contact("A@x"), contact("a@x")], [contact("a@x")], [contact("b@x")], []];
  expect(topContacts(lists, 5)).toEqual([
    { name: "a@x", count: 2 },
    { name: "b@x", count: 1 },
  ]);
  expect(topContacts(lists, 1)).toHaveLength(1);
});

test("assigns a value that equals a bound to the class above it", () => {
  expect(countByClass([0, 9, 10, 99, 100, 5000], [10, 100])).toEqual([2, 2, 2]);
  expect(countByClass([], [10])).toEqual([0, 0]);
});

test("returns median, 95th percentile and maximum of durations in any order", () => {
  expect(spreadOf([])).toBeNull();
  expect(spreadOf([7])).toEqual({ count: 1, median: 7, p95: 7, max: 7 });
  const hundred = Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1);
  expect(spreadOf(hundred)).toEqual({ count: 100, median: 50, p95: 95, max: 100 });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Summary } from "../wire.ts";
import { arrivals, sizeClasses, spreadOf, topContacts } from "./statistics.ts";

const now = Date.UTC(2026, 10, 20, 12);
const received = (ageMs: number): Summary => ({ received: new Date(now - ageMs).toISOString() }) as Summary;

test("every arrival is in one bar, and there are 30 to 60 of them, however old the mail is", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40_000_000_000), { minLength: 1, maxLength: 50 }), (ages) => {
      const { stepMs, buckets } = arrivals(ages.map(received), now);
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(ages.length);
      expect(buckets.length).toBeGreaterThanOrEqual(30);
      expect(buckets.length).toBeLessThanOrEqual(62);
      for (const [at, bucket] of buckets.entries())
        expect(bucket.startMs).toBe((buckets[0]?.startMs ?? 0) + at * stepMs);
    }),
  );
});

test("no mail gives no bars", () => {
  expect(arrivals([], now).buckets).toEqual([]);
});

test("contacts are ranked without regard to case, each once a message", () => {
  const contact = (email: string) => ({ name: "", email, phone: null });
  const lists = [[contact("A@x"), contact("a@x")], [contact("a@x")], [contact("b@x")], []];
  expect(topContacts(lists, 5)).toEqual([
    { name: "a@x", count: 2 },
    { name: "b@x", count: 1 },
  ]);
  expect(topContacts(lists, 1)).toHaveLength(1);
});

test("sizes fall into their classes, bounds upwards", () => {
  expect(sizeClasses([0, 9, 10, 99, 100, 5000], [10, 100])).toEqual([2, 2, 2]);
  expect(sizeClasses([], [10])).toEqual([0, 0]);
});

test("a spread tells median, 95 of 100 and the worst, whatever the order", () => {
  expect(spreadOf([])).toBeNull();
  expect(spreadOf([7])).toEqual({ count: 1, median: 7, most: 7, worst: 7 });
  const hundred = Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1);
  expect(spreadOf(hundred)).toEqual({ count: 100, median: 50, most: 95, worst: 100 });
});

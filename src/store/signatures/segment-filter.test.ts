import { describe, expect, test } from "vitest";
import { Narrowing } from "./narrowing.ts";
import type { SegmentPages } from "./segment-layout.ts";
import { build, merge, noise, type TestSegment } from "./test-segment.test-aid.ts";
import { hasText, type IndexedField } from "./text-condition.ts";

/** Pages of filters, and those of rows. */
const [filtersStart, rowsStart] = [1, 2 ** 24];

interface Reads {
  readonly candidateCount: number;
  readonly pageCount: number;
}

/** Searches a segment twice, and returns what the second search read. */
function search(segment: TestSegment, field: IndexedField, term: string): Reads {
  const narrowing = Narrowing.of(hasText(field, term));
  let pageCount = 0;
  const counting: SegmentPages = {
    ...segment,
    readPart: (number, part) => {
      pageCount += 1;
      return segment.readPart(number, part);
    },
    read: (number) => {
      pageCount += 1;
      return segment.read(number);
    },
  };
  narrowing?.candidates({ pages: counting, unindexed: [] });
  pageCount = 0;
  return {
    candidateCount: narrowing?.candidates({ pages: counting, unindexed: [] }).ordinals.length ?? Infinity,
    pageCount,
  };
}

/** Segments of one size whose texts consist of the same kind of text. */
function segmentOf(count: number, texts: (at: number) => string): TestSegment {
  const messages = Array.from({ length: count }, (_, at) => ({ subject: texts(at), body: texts(at) }));
  const middle = count >> 1;
  const halves = [build(messages.slice(0, middle)), build(messages.slice(middle))];
  const ordinals = messages.map((_, at) => at);
  return merge(halves, [ordinals.slice(0, middle), ordinals.slice(middle)]);
}

const kinds: readonly (readonly [string, (at: number) => string])[] = [
  ["random text", (at) => noise(at, 80).replaceAll(/[qz]/g, "")],
  ["repetitive text", (at) => "your order is on its way ".repeat(3) + String(at % 10)],
  ["one character", () => "x".repeat(80)],
  ["every script", (at) => Array.from({ length: 30 }, (_, n) => String.fromCodePoint(0x100 + at * 30 + n)).join("")],
];

describe("the filter of a segment", () => {
  test.each(kinds)("excludes %s by one page for an absent term, however many messages there are", (_, texts) => {
    for (const count of [40, 1000]) {
      const segment = segmentOf(count, texts);
      for (const term of ["zq xj 5", "order 4711-zq", "zqx", "zq", "q"]) {
        expect([term, search(segment, "subject", term)]).toEqual([term, { candidateCount: 0, pageCount: 1 }]);
        expect([term, search(segment, "body", term)]).toEqual([term, { candidateCount: 0, pageCount: 1 }]);
      }
    }
  });

  test("never has candidates for an absent term of at most three bytes, also where all rows of signatures are full", () => {
    // Every signature is half full, so that rows alone leave candidates for most short terms.
    const bodies = Array.from({ length: 60 }, (_, at) => noise(at, 9000).replaceAll("q", ""));
    const segment = build(bodies.map((body) => ({ subject: "", body })));
    const absent = Array.from("abcdefghijklmnop", (letter) => [
      `q${letter}`,
      `${letter}${letter}q`,
      `é${letter}`,
    ]).flat();
    for (const term of absent) expect(search(segment, "body", term)).toEqual({ candidateCount: 0, pageCount: 1 });
  });

  test("adds a bounded number of reads for a term whose grams all occur", () => {
    const grams = (text: string, length: number) =>
      Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length)).join(" | ");
    for (const length of [20, 400]) {
      const term = noise(1, length);
      const segment = build([{ subject: grams(term, 6), body: grams(term, 6) }]);
      expect(search(segment, "subject", term).pageCount).toBeLessThan(100);
    }
  });

  test.each(kinds)("takes bounded space for %s", (_, texts) => {
    const [few, many] = [100, 1600].map((count) =>
      segmentOf(count, (at) => texts(at).repeat(3)).byteCount(filtersStart, rowsStart),
    );
    expect(few).toBeLessThan(1024 ** 2);
    expect(many).toBeLessThan(5.1 * 1024 ** 2);
  });

  test("takes at most five megabytes for texts that set every bit", () => {
    const messages = Array.from({ length: 60 }, (_, at) => ({ subject: noise(at, 200_000), body: noise(at, 200_000) }));
    const segment = build(messages);
    expect(segment.byteCount(filtersStart, rowsStart)).toBeLessThan(5.1 * 1024 ** 2);
    expect(search(segment, "subject", "absent from all of them").candidateCount).toBeLessThan(5);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { termGrams } from "./grams.ts";
import type { GramField } from "./grams.ts";
import { Narrowing } from "./narrowing.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import { mergeSegments } from "./segment-merger.ts";
import { readGrams } from "./segment-pages.ts";
import type { Page } from "./page-parcel.ts";
import { arbitraryText, buildSegment, pagesOf, segmentOf, texts, utf8 } from "./segment.test-aid.ts";
import type { TestSegment } from "./segment.test-aid.ts";

interface Mail {
  readonly subject: string;
  readonly body: string;
}

const arbitraryMails: fc.Arbitrary<Mail[]> = fc.array(fc.record({ subject: arbitraryText, body: arbitraryText }), {
  minLength: 1,
  maxLength: 40,
});

function build(mails: readonly Mail[], ordinals?: number[]): TestSegment {
  return buildSegment(
    mails.map(({ subject, body }) => texts(subject, body)),
    ordinals,
  );
}

/** A term that at least one of the mails contains. */
function termFrom(mails: readonly Mail[], seed: number): { field: GramField; term: string } {
  const field = seed % 2 === 0 ? "subject" : "body";
  const characters = Array.from(mails[seed % mails.length]?.[field] ?? "");
  const start = (seed * 7) % (characters.length + 1);
  return { field, term: characters.slice(start, start + 1 + (seed % 23)).join("") };
}

/** Ordinals of the messages that the segment offers for a term. */
function offered(segment: TestSegment, field: GramField, term: string): number[] {
  const narrowing = Narrowing.of([{ field, term }], "ALL");
  const all = Array.from({ length: segment.size }, (_, ordinal) => ordinal);
  return narrowing?.candidates(segment, segment.unindexed).members() ?? all;
}

describe("a built segment", () => {
  test("offers every message that contains a term, at its ordinal", () => {
    fc.assert(
      fc.property(arbitraryMails, fc.array(fc.nat(), { maxLength: 20 }), (mails, seeds) => {
        const ordinals = mails.map((_, place) => mails.length - 1 - place);
        const segment = build(mails, ordinals);
        for (const { field, term } of seeds.map((seed) => termFrom(mails, seed))) {
          const found = offered(segment, field, term);
          const expected = mails.flatMap((mail, place) => (mail[field].includes(term) ? [ordinals[place]] : []));
          expect(found).toEqual(expect.arrayContaining(expected));
        }
      }),
    );
  });

  test("offers only messages that contain a term of up to six bytes", () => {
    fc.assert(
      fc.property(arbitraryMails, fc.nat(), (mails, seed) => {
        const { field, term } = termFrom(mails, seed);
        fc.pre(term !== "" && utf8(term).length <= 6);
        const expected = mails.flatMap((mail, place) => (mail[field].includes(term) ? [place] : []));
        expect(offered(build(mails), field, term)).toEqual(expected);
      }),
    );
  });

  test("keeps fields apart", () => {
    const segment = build([
      { subject: "invoice", body: "welcome" },
      { subject: "welcome", body: "invoice" },
    ]);
    expect(offered(segment, "subject", "invoice")).toEqual([0]);
    expect(offered(segment, "body", "invoice")).toEqual([1]);
  });

  test("finds grams across the places where texts are cut", () => {
    const body = Array.from({ length: 3000 }, (_, place) => place.toString(36)).join("-");
    const segment = build([
      { subject: "", body: "other" },
      { subject: "", body },
    ]);
    for (let start = 0; start + 12 < body.length; start++) {
      expect(offered(segment, "body", body.slice(start, start + 12))).toEqual([1]);
    }
  });

  test("is smaller than its texts where mails repeat one another", () => {
    const template = Array.from({ length: 1500 }, (_, place) => `<p>${(place * 7919).toString(36)}</p>`).join("");
    const mails = Array.from({ length: 200 }, (_, place) => ({
      subject: `order ${place}`,
      body: `${place}${template}`,
    }));
    const bytes = build(mails).pages.reduce((sum, page) => sum + page.bytes.length, 0);
    expect(bytes).toBeLessThan(template.length * 10);
  });

  test("lies in ascending pages of a size that a row holds without overflow, sets in pages of their own", () => {
    const mails = Array.from({ length: 300 }, (_, place) => ({
      subject: `subject ${place % 7}`,
      body: Array.from({ length: 60 }, (_, word) =>
        ((place % 9) * 6553 + word * 7919 + (word % 5) * place).toString(36),
      ).join(" "),
    }));
    const { pages } = build(mails);
    const numbers = pages.filter((page) => page.kind === "key").map((page) => page.number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(pages.some((page) => page.kind === "set")).toBe(true);
    expect(Math.max(...pages.map((page) => page.bytes.length))).toBeLessThan(4000);
  });

  test("offers a text of more than a megabyte for every term instead of indexing it", () => {
    const segment = build([
      { subject: "", body: "short" },
      { subject: "", body: "x".repeat(1024 * 1024 + 1) },
      { subject: "", body: `${"x".repeat(1024 * 1024 - 5)}short` },
    ]);
    expect(segment.unindexed).toEqual([1]);
    expect(offered(segment, "body", "short")).toEqual([0, 1, 2]);
    expect(offered(segment, "body", "missing")).toEqual([1]);
  });

  test("may hold nothing at all", () => {
    expect(offered(build([{ subject: "", body: "" }]), "body", "a")).toEqual([]);
    expect(build([{ subject: "", body: "" }]).pages).toEqual([]);
  });

  test("is full at its size, and before its texts take more than some megabytes", () => {
    const small = new SegmentBuilder(3);
    for (let count = 0; count < 3; count++) {
      expect(small.isFull).toBe(false);
      small.add(texts("", "text"));
    }
    expect(small.isFull).toBe(true);
    const large = new SegmentBuilder(100);
    while (!large.isFull) large.add({ subject: new Uint8Array(0), body: noise(large.size, 1_000_000) });
    expect(large.size).toBeLessThan(8);
  });
});

describe("a merged segment", () => {
  test("offers what its sources offer, under the new ordinals, without those left out", () => {
    const seeds = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(
        fc.array(arbitraryMails, { minLength: 1, maxLength: 5 }),
        seeds,
        fc.nat(),
        (groups, some, shuffle) => {
          const mails = groups.flat();
          const places = shuffled(mails.length, shuffle).map((place) => (place % 11 === 10 ? -1 : place));
          const segment = merge(groups, places);
          for (const { field, term } of some.map((seed) => termFrom(mails, seed))) {
            const owners = mails.flatMap((mail, index) => (mail[field].includes(term) ? [places[index] ?? -1] : []));
            expect(offered(segment, field, term)).toEqual(expect.arrayContaining(owners.filter((place) => place >= 0)));
          }
        },
      ),
    );
  });

  test("holds each gram's messages exactly as one that was built at once", () => {
    fc.assert(
      fc.property(fc.array(arbitraryMails, { minLength: 2, maxLength: 4 }), fc.nat(), (groups, seed) => {
        const mails = groups.flat();
        const places = shuffled(mails.length, seed);
        const merged = merge(groups, places);
        const built = build(mails, places);
        for (const range of termGrams(utf8(termFrom(mails, seed).term), "body")) {
          expect(readGrams(merged, range)?.members()).toEqual(readGrams(built, range)?.members());
        }
      }),
    );
  });
});

function merge(groups: readonly (readonly Mail[])[], places: readonly number[]): TestSegment {
  let start = 0;
  const sources = groups.map((mails) => {
    start += mails.length;
    return { pages: build(mails), ordinals: Int32Array.from(places.slice(start - mails.length, start)) };
  });
  const pages: Page[] = [];
  for (const portion of mergeSegments(sources, places.length)) pages.push(...pagesOf(portion));
  return segmentOf(pages, places.length);
}

function shuffled(length: number, seed: number): number[] {
  const keys = Array.from({ length }, (_, place) => Math.imul(place + 1, 0x9e3779b1 ^ seed) >>> 0);
  return keys.map((key) => keys.filter((other) => other < key).length);
}

function noise(seed: number, length: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return 33 + ((state >>> 16) % 90);
  });
}

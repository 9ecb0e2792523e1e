import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageBatches, readPageBatch } from "./page-batch.ts";
import { SegmentBuilder, SignatureMaker } from "./segment-builder.ts";
import { SegmentFilter } from "./segment-filter.ts";
import { build, candidatesOf, merge, noise, type TestSegment } from "./test-segment.test-aid.ts";
import { allOf, hasText, oneOf, type IndexedField } from "./text-condition.ts";

function find(segment: TestSegment, field: IndexedField, term: string): readonly number[] | undefined {
  return candidatesOf(segment, hasText(field, term));
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('<td style="padding:4px">', "hello ", "aaaaaaaaaa", "日本語", "👍🏽", "שלום", "ñandú\n"),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("signatures", () => {
  test("never miss a message with the term, in built and merged segments", () => {
    const messages = fc.array(fc.record({ subject: text, body: text, fields: text }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.tuple(messages, messages), fc.tuple(fc.nat(), fc.nat(), fc.nat(30)), (given, drawn) => {
        const [one, other] = given;
        const [pick, start, length] = drawn;
        const segments = [build(one), build(other)];
        const ordinals = [one.map((_, at) => (at === 1 ? -1 : at)), other.map((_, at) => one.length + at)];
        const merged = merge(segments, ordinals);
        const all = [...one, ...other];
        for (const field of ["subject", "body", "fields"] as const) {
          const whole = all[pick % all.length]?.[field] ?? "";
          const term = whole
            .slice(start % Math.max(1, whole.length))
            .slice(0, length + 1)
            .toWellFormed();
          const found = find(merged, field, term);
          const containing = [...all.keys()].filter((at) => at !== 1 && all[at]?.[field].includes(term));
          expect(containing.filter((at) => found?.includes(at) === false)).toEqual([]);
          if (one.length > 1) expect(found ?? []).not.toContain(1);
        }
      }),
      { numRuns: 100 },
    );
  });

  test.each(["q", "zq", "日", "日本", "zqx", "wxqz", "absent", "3f9a77c01bd2"])(
    "exclude nearly every message without %j",
    (term) => {
      const messages = Array.from({ length: 200 }, (_, at) => ({
        subject: `number ${at}`,
        body: noise(at, 6000).replaceAll(/[qz]/g, "").replaceAll("absent", ""),
      }));
      const segment = build([...messages, { subject: "one more", body: `here is ${term} in it` }]);
      const found = find(segment, "body", term) ?? [];
      expect(found).toContain(200);
      expect(found.length).toBeLessThan(60);
      expect(find(segment, "subject", "absent")?.length).toBeLessThan(5);
    },
  );

  test("exclude nearly every message with a short text", () => {
    const messages = Array.from({ length: 1000 }, (_, at) => ({
      subject: noise(at, 60).replaceAll("z", ""),
      body: "",
    }));
    expect(find(build(messages), "subject", "zq xj 5")?.length).toBeLessThan(5);
  });

  test("select messages that may match every criterion with ALL, any criterion with ANY", () => {
    const segment = build([
      { subject: "welcome ann", body: "your order is here" },
      { subject: "welcome bob", body: "your batch is here" },
      { subject: "goodbye ann", body: "your batch is lost" },
    ]);
    const narrow = (match: "ALL" | "ANY", subject: string, body: string) => {
      const conditions = [hasText("subject", subject), hasText("body", body)];
      return candidatesOf(segment, match === "ALL" ? allOf(conditions) : oneOf(conditions));
    };
    expect(narrow("ALL", "welcome", "batch")).toEqual([1]);
    expect(narrow("ANY", "goodbye", "order")).toEqual([0, 2]);
    expect(narrow("ALL", "absent", "batch")).toEqual([]);
    expect(narrow("ALL", "", "order")).toEqual([0]);
    expect(narrow("ANY", "", "order")).toBeUndefined();
    expect(narrow("ALL", "", "")).toBeUndefined();
  });

  test("exclude nearly every message by parts of addresses and short terms in fields", () => {
    const messages = Array.from({ length: 2000 }, (_, at) => {
      const fields = `\nshop ${at % 50} <news${at % 50}@shop.example>\n\u0001\nu${at}@abcd1234.restante.test\n`;
      return { subject: "hello", body: "hello", fields };
    });
    const segment = build([...messages, { subject: "", body: "", fields: "\nzoë <zoe@kiwi.test>\n\u0001\nyui\n" }]);
    for (const term of ["oë <zoe@ki", "kiwi", "kiw", "zo", "ë", "yu"]) {
      const found = find(segment, "fields", term) ?? [];
      expect(found).toContain(2000);
      expect([term, found.length < 100]).toEqual([term, true]);
    }
    expect(find(segment, "fields", "u1234@")).toContain(1234);
    expect(find(segment, "fields", "u1234@")?.length).toBeLessThan(20);
    for (const term of ["absent", "zq", "q", "確"]) expect(find(segment, "fields", term)).toEqual([]);
  });

  test("treat texts that are too long or too varied as candidates for every term", () => {
    const unicode = Array.from({ length: 300_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
    ).join("");
    const segment = build([
      { subject: "", body: "x".repeat(1_100_000) },
      { subject: "", body: noise(1, 1_000_000) },
      { subject: "", body: unicode },
      { subject: "", body: "short" },
    ]);
    expect(segment.unindexed).toContain(0);
    expect(segment.unindexed).not.toContain(3);
    expect(find(segment, "body", "absent from all of them")).toEqual(segment.unindexed);
  });

  test("are bounded in size for any text", () => {
    const maker = new SignatureMaker();
    const filter = new SegmentFilter("body");
    const sizes = [noise(2, 900_000), "x".repeat(900_000), noise(3, 20_000), "abc ".repeat(5000), "", "a"].map(
      (body) => maker.make(Buffer.from(body), filter)?.bits.byteLength,
    );
    expect(sizes).toEqual([262_144, 32, expect.any(Number), 32, 32, 32]);
    expect(sizes[2]).toBeLessThan(20_000);
  });

  test("fill a builder before it exceeds its bound", () => {
    const builder = new SegmentBuilder(Infinity, new SignatureMaker());
    let count = 0;
    for (; !builder.isFull; count += 1) {
      const [subject, fields] = [new Uint8Array(0), Buffer.from(noise(-count, 190_000))];
      builder.add({ subject, body: Buffer.from(noise(count, 500_000)), fields });
    }
    expect(count).toBeLessThan(100);
  });
});

test("page batches of bounded size restore their pages", () => {
  const batches = new PageBatches();
  const pages = Array.from({ length: 100 }, (_, at) => ({
    number: at * 2 ** 20,
    bytes: new Uint8Array(9000).fill(at),
  }));
  for (const page of pages) batches.add(page);
  const all = batches.takeAll();
  expect(all.length).toBeGreaterThan(2);
  expect(all.flatMap((batch) => [...readPageBatch(batch)])).toEqual(pages);
});

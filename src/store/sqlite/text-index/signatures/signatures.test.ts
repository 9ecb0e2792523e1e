import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Narrowing } from "./narrowing.ts";
import { PageBatches, readPageBatch } from "./page-batch.ts";
import type { PageBatch } from "./page-batch.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import { mergeSegments } from "./segment-merger.ts";
import type { SegmentPages } from "./segment-layout.ts";
import { SignatureMaker } from "./signature.ts";

interface Texts {
  readonly subject: string;
  readonly body: string;
}

interface TestSegment extends SegmentPages {
  readonly unindexed: readonly number[];
}

function drain<Result>(portions: Generator<readonly PageBatch[], Result>): {
  readonly pages: Map<number, Uint8Array>;
  readonly result: Result;
} {
  const pages = new Map<number, Uint8Array>();
  for (;;) {
    const step = portions.next();
    if (step.done === true) return { pages, result: step.value };
    for (const batch of step.value) for (const { number, bytes } of readPageBatch(batch)) pages.set(number, bytes);
  }
}

function readable(size: number, pages: ReadonlyMap<number, Uint8Array>): SegmentPages {
  const read = (number: number): Uint8Array | undefined => pages.get(number);
  return {
    size,
    read,
    readPart: (number, { pageBytes, start, length }) => {
      const bytes = read(number);
      const isCompressed = bytes?.length !== pageBytes;
      return bytes && { bytes: isCompressed ? bytes : bytes.subarray(start, start + length), isCompressed };
    },
  };
}

function build(messages: readonly Texts[]): TestSegment {
  const builder = new SegmentBuilder(messages.length, new SignatureMaker());
  for (const { subject, body } of messages) builder.add({ subject: Buffer.from(subject), body: Buffer.from(body) });
  const { pages, result } = drain(builder.finish(messages.map((_, place) => place)));
  return { unindexed: result.unindexed, ...readable(result.size, pages) };
}

function find(segment: TestSegment, field: "subject" | "body", term: string): readonly number[] | undefined {
  return Narrowing.of([{ field, term }], "ALL")?.candidates(segment, segment.unindexed);
}

/** Creates text without repetition. */
function noise(seed: number, length: number): string {
  let state = seed;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += (state >>> 4).toString(36);
  }
  return text.slice(0, length);
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
    const messages = fc.array(fc.record({ subject: text, body: text }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.tuple(messages, messages), fc.tuple(fc.nat(), fc.nat(), fc.nat(30)), (given, drawn) => {
        const [one, other] = given;
        const [pick, start, length] = drawn;
        const segments = [build(one), build(other)];
        const ordinals = [one.map((_, at) => (at === 1 ? -1 : at)), other.map((_, at) => one.length + at)];
        const { pages } = drain(
          mergeSegments(segments.map((own, at) => ({ pages: own, ordinals: Int32Array.from(ordinals[at] ?? []) }))),
        );
        const merged = { unindexed: [], ...readable(one.length + other.length, pages) };
        const all = [...one, ...other];
        const { body } = all[pick % all.length] ?? { body: "" };
        const term = body
          .slice(start % Math.max(1, body.length))
          .slice(0, length + 1)
          .toWellFormed();
        const found = find(merged, "body", term);
        for (const [at, message] of all.entries()) {
          if (at !== 1 && message.body.includes(term)) expect(found ?? [at]).toContain(at);
        }
        if (one.length > 1) expect(found ?? []).not.toContain(1);
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

  test("of short texts exclude nearly every message", () => {
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
    const narrow = (match: "ALL" | "ANY", subject: string, body: string) =>
      Narrowing.of(
        [
          { field: "subject", term: subject },
          { field: "body", term: body },
        ],
        match,
      )?.candidates(segment, []);
    expect(narrow("ALL", "welcome", "batch")).toEqual([1]);
    expect(narrow("ANY", "goodbye", "order")).toEqual([0, 2]);
    expect(narrow("ALL", "absent", "batch")).toEqual([]);
    expect(narrow("ALL", "", "order")).toEqual([0]);
    expect(narrow("ANY", "", "order")).toBeUndefined();
    expect(narrow("ALL", "", "")).toBeUndefined();
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
    const sizes = [noise(2, 900_000), "x".repeat(900_000), noise(3, 20_000), "abc ".repeat(5000), "", "a"].map(
      (body) => maker.make(Buffer.from(body))?.bits.byteLength,
    );
    expect(sizes).toEqual([262_144, 32, expect.any(Number), 32, 32, 32]);
    expect(sizes[2]).toBeLessThan(20_000);
  });

  test("fill a builder before it exceeds its bound", () => {
    const builder = new SegmentBuilder(Infinity, new SignatureMaker());
    let count = 0;
    for (; !builder.isFull; count += 1) {
      builder.add({ subject: new Uint8Array(0), body: Buffer.from(noise(count, 500_000)) });
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

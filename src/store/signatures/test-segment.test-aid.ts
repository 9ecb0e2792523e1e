/** Segments of the text index in memory. */
import { Narrowing } from "./narrowing.ts";
import { readPageBatch, type PageBatch } from "./page-batch.ts";
import { SegmentBuilder, SignatureMaker } from "./segment-builder.ts";
import type { SegmentPages } from "./segment-layout.ts";
import { mergeSegments } from "./segment-merger.ts";
import type { TextCondition } from "./text-condition.ts";

/** Texts of one message. */
export interface Texts {
  readonly subject: string;
  readonly body: string;
  /** Empty by default. */
  readonly fields?: string;
}

/** Segment whose pages are in a map. */
export interface TestSegment extends SegmentPages {
  /** Stored bytes of the pages from `first`, before `end`. */
  byteCount(first: number, end: number): number;
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

function readable(size: number, pages: ReadonlyMap<number, Uint8Array>): Omit<TestSegment, "unindexed"> {
  const read = (number: number): Uint8Array | undefined => pages.get(number);
  const numbers = (first: number, end: number) => [...pages.keys()].filter((number) => number >= first && number < end);
  return {
    size,
    numbers,
    byteCount: (first, end) => numbers(first, end).reduce((sum, number) => sum + (read(number)?.length ?? 0), 0),
    read,
    readPart: (number, { pageBytes, start, length }) => {
      const bytes = read(number);
      const isCompressed = bytes?.length !== pageBytes;
      return bytes && { bytes: isCompressed ? bytes : bytes.subarray(start, start + length), isCompressed };
    },
  };
}

/** Builds a segment from messages. */
export function build(messages: readonly Texts[]): TestSegment {
  const builder = new SegmentBuilder(messages.length, new SignatureMaker());
  for (const { subject, body, fields = "" } of messages) {
    builder.add({ subject: Buffer.from(subject), body: Buffer.from(body), fields: Buffer.from(fields) });
  }
  const { pages, result } = drain(builder.finish(messages.map((_, place) => place)));
  return { unindexed: result.unindexed, ...readable(result.size, pages) };
}

/** Merges segments; `ordinals` are those of the messages of each in the merged segment, −1 where they are omitted. */
export function merge(segments: readonly TestSegment[], ordinals: readonly (readonly number[])[]): TestSegment {
  const sources = segments.map((pages, at) => ({ pages, ordinals: Int32Array.from(ordinals[at] ?? []) }));
  const size = Math.max(...ordinals.flat()) + 1;
  return { unindexed: [], ...readable(size, drain(mergeSegments(sources)).pages) };
}

/** Creates text without repetition. */
export function noise(seed: number, length: number): string {
  let state = seed;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += (state >>> 4).toString(36);
  }
  return text.slice(0, length);
}

/** Returns the candidates of a segment for a condition, ascending; undefined when it narrows nothing. */
export function candidatesOf(segment: TestSegment, condition: TextCondition): readonly number[] | undefined {
  const { unindexed } = segment;
  const found = Narrowing.of(condition)?.candidates({ pages: segment, unindexed });
  return found && Array.from(found.ordinals);
}

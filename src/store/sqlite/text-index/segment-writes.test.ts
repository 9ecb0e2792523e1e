import { describe, expect, test } from "vitest";
import { draft } from "../../conformance/drafts.ts";
import { PageBatches, type Page, type PageBatch } from "../../signatures/page-batch.ts";
import type { SegmentOutline } from "./segments.ts";
import type { SegmentWrite } from "./segment-writes.ts";
import { TestIndex } from "./test-index.test-aid.ts";

const outline: SegmentOutline = {
  firstSequence: 1,
  lastSequence: 5,
  size: 1,
  receivedSize: 1,
  received: { first: new Uint8Array(16), last: new Uint8Array(16) },
  sent: null,
  unindexed: [0],
};

function epochOf(index: TestIndex): number {
  return index.reads.servers.position(index.server)?.epoch ?? 0;
}

function batchOf(pages: readonly Page[]): PageBatch {
  const batches = new PageBatches();
  for (const page of pages) batches.add(page);
  const [batch = new Uint8Array(0)] = batches.takeAll();
  return batch;
}

function complete(index: TestIndex, segment: number, replaced: readonly number[] = []): number {
  return index.call("writeSegment", { kind: "complete", segment, outline, replaced });
}

/** A segment with a page of each kind, not yet complete. */
function aDraft(index: TestIndex): number {
  const segment = index.call("writeSegment", { kind: "open", epoch: epochOf(index) });
  const bytes = Uint8Array.of(1);
  const pages = batchOf([
    { number: 2 ** 37 - 1, bytes },
    { number: 0, bytes },
  ]);
  expect(index.call("writeSegment", { kind: "pages", segment, pages })).toBe(1);
  return segment;
}

const tables = ["text_segment", "text_page"] as const;
const rowCounts = { text_segment: 1, text_page: 2 };

describe("a segment", () => {
  test("is used as described after its completion", async () => {
    const index = await TestIndex.open();
    const segment = aDraft(index);
    expect(index.segments()).toEqual([]);
    expect(complete(index, segment)).toBe(1);
    expect(index.segments()).toEqual([{ number: segment, ...outline }]);
  });

  test("replaces other segments atomically", async () => {
    const index = await TestIndex.open();
    const [one, other] = [aDraft(index), aDraft(index)];
    complete(index, one);
    complete(index, other);
    const merged = aDraft(index);
    expect(complete(index, merged, [one, other])).toBe(1);
    expect(index.segments().map(({ number }) => number)).toEqual([merged]);
  });

  test("is dropped when a segment that it replaces is no longer used", async () => {
    const index = await TestIndex.open();
    const one = aDraft(index);
    complete(index, one);
    const merged = aDraft(index);
    index.call("writeSegment", { kind: "drop", segment: one });
    expect(complete(index, merged, [one])).toBe(0);
    index.reclaim();
    for (const table of tables) expect(index.rowCount(table)).toBe(0);
  });

  test.each<[string, (segment: number) => SegmentWrite]>([
    ["pages", (segment) => ({ kind: "pages", segment, pages: batchOf([{ number: 0, bytes: Uint8Array.of(1) }]) })],
    ["complete", (segment) => ({ kind: "complete", segment, outline, replaced: [] })],
  ])("is not continued by %s after a restart or once its server was emptied", async (_, write) => {
    const index = await TestIndex.open();
    const restarted = aDraft(index);
    index.restart();
    expect(index.call("writeSegment", write(restarted))).toBe(0);
    const emptied = aDraft(index);
    index.call("changeRecord", "servers", "emptyServer", [index.server]);
    expect(index.call("writeSegment", write(emptied))).toBe(0);
    expect(index.segments()).toEqual([]);
  });

  test("is not opened for a deleted server", async () => {
    const index = await TestIndex.open();
    const epoch = epochOf(index);
    index.call("changeRecord", "servers", "deleteServer", [index.server]);
    expect(index.call("writeSegment", { kind: "open", epoch })).toBe(0);
    expect(index.rowCount("text_segment")).toBe(0);
  });

  test("is reclaimed completely in small steps once dropped, without affecting its neighbours", async () => {
    const index = await TestIndex.open();
    const retained = aDraft(index);
    complete(index, retained);
    index.add(Array.from({ length: 5 }, (_, place) => draft(index.server, { body: `${place}`.repeat(40) })));
    const large = aDraft(index);
    const pages = Array.from({ length: 350 }, (_, number) => ({
      number: number + 1,
      bytes: Uint8Array.of(1),
    }));
    index.call("writeSegment", { kind: "pages", segment: large, pages: batchOf(pages) });
    complete(index, aDraft(index));
    index.call("writeSegment", { kind: "drop", segment: large });
    let before = index.rowCount("text_page");
    while (index.writer.transact(() => index.segmentWrites.reclaim())) {
      expect(before - index.rowCount("text_page")).toBeLessThanOrEqual(100);
      before = index.rowCount("text_page");
    }
    for (const table of tables) expect(index.rowCount(table)).toBe(2 * rowCounts[table]);
  });

  test("is dropped with its epoch", async () => {
    const index = await TestIndex.open();
    const segment = aDraft(index);
    complete(index, segment);
    aDraft(index);
    index.segmentWrites.dropEpoch(epochOf(index));
    index.reclaim();
    for (const table of tables) expect(index.rowCount(table)).toBe(0);
  });
});

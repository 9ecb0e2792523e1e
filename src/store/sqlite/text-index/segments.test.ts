import { expect, test } from "vitest";
import { draft } from "../../conformance/drafts.ts";
import { readPageBatch } from "../../signatures/page-batch.ts";
import { gapsBetween, memberPages, readMembers, type Segment } from "./segments.ts";
import { hexOf, TestIndex } from "./test-index.test-aid.ts";

function covering(firstSequence: number, lastSequence: number): Segment {
  const nothing = { size: 0, receivedSize: 0, received: null, sent: null, unindexed: [] };
  return { number: firstSequence, firstSequence, lastSequence, ...nothing };
}

test.each([
  { segments: [], sequence: 0, gaps: [] },
  { segments: [], sequence: 7, gaps: [{ first: 1, last: 7 }] },
  { segments: [covering(1, 7)], sequence: 7, gaps: [] },
  { segments: [covering(1, 7)], sequence: 8, gaps: [{ first: 8, last: 8 }] },
  {
    segments: [covering(3, 4), covering(6, 7)],
    sequence: 9,
    gaps: [
      [1, 2],
      [5, 5],
      [8, 9],
    ],
  },
  // The index covers changes that are newer than the start of the search.
  { segments: [covering(1, 3), covering(8, 12)], sequence: 5, gaps: [[4, 5]] },
])("the gaps between $segments.length segments up to change $sequence", ({ segments, sequence, gaps }) => {
  const expected = gaps.map((gap) => (Array.isArray(gap) ? { first: gap[0], last: gap[1] } : gap));
  expect(gapsBetween(segments, sequence)).toEqual(expected);
});

test("throws when a block of ids is missing", async () => {
  const index = await TestIndex.open();
  expect(() => index.reads.segments.members(1, 0)).toThrow(/missing/);
});

test("reads the ids of a segment across blocks", async () => {
  const index = await TestIndex.open({ serverMessageCountMin: 0, newMessageCountMin: 1, segmentMessageCountMax: 1000 });
  const messages = Array.from({ length: 500 }, () => draft(index.server));
  index.add(messages);
  index.index();
  const [segment] = index.segments();
  if (segment === undefined) throw new Error("no segment");
  const members = Array.from(readMembers(index.reads.segments, segment), (id) => Buffer.from(id).toString("hex"));
  expect(members).toEqual(messages.map(({ id }) => hexOf(id)).sort());
  expect(index.membersOf(segment)).toEqual(members);
  expect(memberPages(new Uint8Array(500 * 16)).flatMap((batch) => [...readPageBatch(batch)])).toHaveLength(3);
});

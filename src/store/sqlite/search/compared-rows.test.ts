import type { Criteria } from "../../../core/criteria.ts";
import { describe, expect, test } from "vitest";
import { draft } from "../../conformance/drafts.ts";
import { idsOf, newestFirst } from "../../conformance/setup.ts";
import type { SummaryPage } from "../../store.ts";
import { eagerIndex, TestIndex } from "../text-index/test-index.test-aid.ts";

const megabyte = 1024 * 1024;
const unindexed = { ...eagerIndex, serverMessageCountMin: Infinity };
const absent: Criteria = { body: "absent", match: "ALL" };

/** A server with one body of each length. */
async function aServerOf(lengths: readonly number[], settings = unindexed) {
  const index = await TestIndex.open(settings);
  const messages = lengths.map((length) => draft(index.server, { body: `${"long ".repeat(length / 5)} needle` }));
  index.add(messages);
  index.index();
  return { index, messages };
}

/** Returns the result of a search without a time limit per slice, and the number of slices. */
function finish(index: TestIndex, criteria: Criteria): { readonly result: SummaryPage; readonly slices: number } {
  const step = index.startSearch(criteria, { sliceMsMax: Infinity });
  for (let slices = 1; ; slices += 1) {
    const result = step();
    if (result !== undefined) return { result, slices };
  }
}

describe.each([
  ["without an index", unindexed],
  ["with an index that leaves long texts out", eagerIndex],
])("a slice of a search, %s,", (_, settings) => {
  test("decompresses a bounded number of bytes, however long it takes", async () => {
    const long = await aServerOf(
      Array.from({ length: 8 }, () => 1.2 * megabyte),
      settings,
    );
    expect(finish(long.index, absent).slices).toBeGreaterThanOrEqual(8);
    const short = await aServerOf(Array.from({ length: 8 }, () => 1000));
    expect(finish(short.index, absent).slices).toBe(1);
  });

  test("decompresses a body longer than the bound in its own slice, and finds every message once, in order", async () => {
    const { index, messages } = await aServerOf([10, 5 * megabyte, 10, 10, 1.5 * megabyte, 5 * megabyte, 10], settings);
    const { result, slices } = finish(index, { body: "needle", match: "ALL" });
    expect(idsOf(result)).toEqual(newestFirst(messages.map(({ id }) => id)));
    expect(slices).toBeGreaterThanOrEqual(4);
  });
});

test("a short search finishes before a search of long bodies that started earlier", async () => {
  const { index } = await aServerOf(Array.from({ length: 6 }, () => 2 * megabyte));
  const turns = [
    { name: "long", step: index.startSearch(absent, { sliceMsMax: Infinity }) },
    { name: "short", step: index.startSearch({ subject: "absent", match: "ALL" }, { sliceMsMax: Infinity }) },
  ];
  const ended: string[] = [];
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    if (turn.step() === undefined) turns.push(turn);
    else ended.push(turn.name);
  }
  expect(ended).toEqual(["short", "long"]);
});

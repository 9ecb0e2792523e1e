import { describe, expect, test } from "vitest";
import { draft } from "../../conformance/drafts.ts";
import { idsOf, newestFirst } from "../../conformance/setup.ts";
import type { NewMessage } from "../../store.ts";
import { TestIndex } from "../text-index/test-index.test-aid.ts";

const settings = { serverMessageCountMin: 0, newMessageCountMin: 1, segmentMessageCountMax: 2000 };

/** Creates messages to two addresses alternately, every hundredth with a unique word. */
function drafts(index: TestIndex, count: number): NewMessage[] {
  return Array.from({ length: count }, (_, place) =>
    draft(index.server, {
      to: [place % 2 === 0 ? "even@x.test" : "odd@x.test"],
      subject: `number ${place}`,
      body: place % 100 === 0 ? `hundred ${place}` : "plain",
    }),
  );
}

function idsWhere(messages: readonly NewMessage[], isSelected: (place: number) => boolean): readonly string[] {
  return newestFirst(messages.filter((_, place) => isSelected(place)).map(({ id }) => id));
}

describe("candidates", () => {
  test("are found by the text index when the required address has many messages", async () => {
    const index = await TestIndex.open(settings);
    const messages = drafts(index, 600);
    index.add(messages);
    index.index();
    expect(index.find({ sentTo: "even@x.test", body: "hundred" })).toEqual(
      idsWhere(messages, (one) => one % 100 === 0),
    );
    expect(index.find({ sentTo: "odd@x.test", body: "hundred" })).toEqual([]);
    expect(index.find({ sentTo: "odd@x.test", subject: "number 599" })).toEqual([messages[599]?.id]);
  });

  test("merges candidates by address and by text in order without duplicates", async () => {
    const index = await TestIndex.open(settings);
    const messages = drafts(index, 700);
    index.add(messages);
    index.index();
    const result = index.search(
      { sentTo: "even@x.test", body: "hundred", subject: "number 69", match: "ANY" },
      { itemsPerPage: 1000 },
    );
    expect(idsOf(result)).toEqual(idsWhere(messages, (one) => one % 2 === 0 || `${one}`.startsWith("69")));
  });

  test("include unindexed messages across ranges, merged with indexed ones", async () => {
    const index = await TestIndex.open(settings);
    const messages = drafts(index, 1500);
    index.add(messages);
    index.index();
    const later = drafts(index, 2200);
    index.add(later);
    expect(index.segments()).toHaveLength(1);
    const expected = [...idsWhere(later, (one) => one % 100 === 0), ...idsWhere(messages, (one) => one % 100 === 0)];
    expect(index.find({ body: "hundred" })).toEqual(expected);
    const paged = Array.from({ length: 8 }, (_, page) => index.find({ body: "hundred" }, { page, itemsPerPage: 5 }));
    expect(paged.flat()).toEqual(expected);
    expect(index.find({ body: "hundred 2100" })).toEqual([later[2100]?.id]);
    expect(index.find({ body: "absent" })).toEqual([]);
  });

  test("take time linear in the number of unindexed messages", async () => {
    const costUsOfTail = async (tailCount: number): Promise<number> => {
      const index = await TestIndex.open(settings);
      index.add(drafts(index, 500));
      index.index();
      index.add(drafts(index, tailCount));
      const costs = Array.from({ length: 6 }, (_, round) => {
        const before = process.threadCpuUsage();
        // Filters exclude no term of three characters. One slice, which a busy machine would end early.
        const step = index.startSearch({ body: `zq${round}`, match: "ALL" }, { sliceMsMax: Infinity });
        expect(step()).toMatchObject({ count: 0 });
        const { user, system } = process.threadCpuUsage(before);
        return user + system;
      });
      // Of all rounds, as some systems count in ticks of milliseconds, of which a short round may have none.
      return costs.reduce((sum, cost) => sum + cost, 0);
    };
    const [small, large] = [await costUsOfTail(250), await costUsOfTail(2000)];
    // Linear growth is 8 times, quadratic growth 64 times.
    expect(large).toBeLessThan(32 * Math.max(small, 1000));
  });

  test("stay complete when segments are merged and reclaimed between two slices", async () => {
    const index = await TestIndex.open({ ...settings, segmentMessageCountMax: 40 });
    const messages: NewMessage[] = [];
    for (let round = 0; round < 12; round += 1) {
      const added = drafts(index, 9);
      index.add(added);
      messages.push(...added);
      if (round % 2 === 0) index.index();
    }
    let sliceCount = 0;
    const result = index.search({ body: "plain", match: "ALL" }, { itemsPerPage: 200 }, () => {
      sliceCount += 1;
      index.index(3);
      index.reclaim();
    });
    expect(sliceCount).toBeGreaterThan(20);
    expect(idsOf(result)).toEqual(
      newestFirst(messages.filter(({ keys }) => keys.body.text === "plain").map(({ id }) => id)),
    );
  });

  test("are limited to messages received after the given change", async () => {
    const index = await TestIndex.open(settings);
    const messages = drafts(index, 400);
    const sequences = index.add(messages);
    index.index();
    const [fresh] = drafts(index, 1);
    if (fresh === undefined) throw new Error("nothing drafted");
    index.add([fresh]);
    const afterSequence = sequences.at(-1) ?? 0;
    let sliceCount = 0;
    const result = index.search({ body: "hundred", match: "ALL" }, { afterSequence }, () => {
      sliceCount += 1;
    });
    expect(idsOf(result)).toEqual([fresh.id]);
    expect(sliceCount).toBeLessThanOrEqual(1);
    expect(index.find({ body: "hundred" }, { afterSequence: sequences[250] ?? 0 })).toEqual([
      fresh.id,
      messages[300]?.id,
    ]);
  });
});

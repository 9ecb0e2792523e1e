import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { draft, epochMs } from "../../conformance/drafts.ts";
import { newestFirst } from "../../conformance/setup.ts";
import { Statements } from "../connection/connection.ts";
import type { NewMessage } from "../../store.ts";
import { countUnindexed } from "./segments.ts";
import type { IndexSettings } from "./index-work.ts";
import { hexOf, TestIndex } from "./test-index.test-aid.ts";

const settings: IndexSettings = { serverMessageCountMin: 10, newMessageCountMin: 4, segmentMessageCountMax: 8 };

function drafts(index: TestIndex, count: number): NewMessage[] {
  return Array.from({ length: count }, (_, place) => draft(index.server, { body: `body number ${place}` }));
}

function covered(index: TestIndex): (readonly number[])[] {
  return index.segments().map(({ firstSequence, lastSequence, size }) => [firstSequence, lastSequence, size]);
}

describe("IndexWork", () => {
  test("builds a segment from a minimum of messages in the server and of new ones", async () => {
    const index = await TestIndex.open(settings);
    index.add(drafts(index, 9));
    index.index();
    expect(covered(index)).toEqual([]);
    index.add(drafts(index, 1));
    index.index();
    expect(covered(index)).toEqual([[1, 8, 8]]);
    index.add(drafts(index, 1));
    index.index();
    expect(covered(index)).toEqual([[1, 8, 8]]);
    index.add(drafts(index, 1));
    index.index();
    expect(covered(index)).toEqual([
      [1, 8, 8],
      [9, 12, 4],
    ]);
  });

  test("leaves a backlog that countUnindexed counts", async () => {
    const index = await TestIndex.open(settings);
    const backlog = (): number => countUnindexed(new Statements(index.reading), index.reads.segments, 10);
    index.add(drafts(index, 9));
    expect(backlog()).toBe(0);
    index.add(drafts(index, 2));
    expect(backlog()).toBe(11);
    index.index();
    expect(backlog()).toBe(3);
  });

  test("merges adjacent small segments and omits deleted messages", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages: NewMessage[] = [];
    for (let round = 0; round < 2; round += 1) {
      const added = drafts(index, 4);
      index.add(added);
      messages.push(...added);
      if (round === 0) index.index();
    }
    const [deleted] = messages.splice(2, 1);
    if (deleted !== undefined) index.delete(deleted.id);
    index.index();
    const [segment, ...others] = index.segments();
    if (segment === undefined) throw new Error("no segment");
    expect(others).toEqual([]);
    expect(segment).toMatchObject({ firstSequence: 1, lastSequence: 8, size: 7 });
    expect(index.membersOf(segment)).toEqual(messages.map(({ id }) => hexOf(id)));
    expect(index.find({ body: "number 3" })).toEqual(newestFirst([messages[2]?.id, messages[6]?.id]));
    index.reclaim();
    expect(index.rowCount("text_segment")).toBe(1);
  });

  test("merges into few large segments, however many messages there are", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const counts: number[] = [];
    for (const count of [400, 400]) {
      index.add(drafts(index, count));
      index.index();
      counts.push(index.segments().length);
      index.reclaim();
    }
    const sizes = index.segments().map(({ size }) => size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(800);
    expect(Math.max(...sizes)).toBeGreaterThan(settings.segmentMessageCountMax * 18);
    expect(Math.max(...sizes)).toBeLessThan(settings.segmentMessageCountMax * 30);
    expect(Math.max(...counts)).toBeLessThan(16);
    expect(index.find({ body: "body number 399" })).toHaveLength(2);
    expect(index.find({ body: "body number 400" })).toEqual([]);
  });

  test("indexes all messages before it merges large segments", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    index.add(drafts(index, 160));
    const sizes = () => index.segments().map(({ size }) => size);
    while (sizes().reduce((sum, size) => sum + size, 0) < 160) index.index(1);
    expect(new Set(sizes())).toEqual(new Set([settings.segmentMessageCountMax]));
    index.index();
    expect(index.segments().length).toBeLessThan(8);
  });

  test("drops a segment whose messages are all deleted", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const old = drafts(index, 8);
    index.add(old);
    index.add(drafts(index, 8));
    index.index();
    expect(covered(index)).toHaveLength(2);
    for (const { id } of old) index.delete(id);
    index.index();
    expect(covered(index)).toEqual([[9, 16, 8]]);
  });

  test("fills a gap before segments, however few its messages", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const first = drafts(index, 8);
    index.add(first);
    index.add(drafts(index, 8));
    index.index();
    const [segment] = index.segments();
    index.call("writeSegment", { kind: "drop", segment: segment?.number ?? 0 });
    for (const { id } of first.slice(1)) index.delete(id);
    index.index();
    expect(covered(index)[0]).toEqual([1, 1, 1]);
    expect(index.find({ body: "body number 0" })).toContain(first[0]?.id);
  });

  test("continues when a message is deleted or a server emptied between two steps", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages = drafts(index, 8);
    index.add(messages);
    index.index(1);
    index.call("changeRecord", "servers", "emptyServer", [index.server]);
    index.index();
    expect(covered(index)).toEqual([]);
    const others = drafts(index, 8);
    index.add(others);
    for (const { id } of others) {
      index.index(1);
      index.delete(id);
    }
    index.index();
    expect(index.find({ body: "body" })).toEqual([]);
  });

  test("drops unfinished segments after a restart and builds them again", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages = drafts(index, 8);
    index.add(messages);
    for (let steps = 1; steps < 8; steps += 1) {
      index.index(steps);
      index.restart();
    }
    index.index();
    index.reclaim();
    expect(covered(index)).toEqual([[1, 8, 8]]);
    expect(index.rowCount("text_segment")).toBe(1);
    expect(index.find({ body: "number 5" })).toEqual([messages[5]?.id]);
  });

  test("limits segments by the size of texts, and makes overlong texts candidates for every term", async () => {
    const index = await TestIndex.open();
    const noise = (seed: number, length: number) => {
      let state = seed;
      return Array.from({ length: length / 8 }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return state.toString(36).padStart(8, "0").slice(-8);
      }).join("");
    };
    const large = Array.from({ length: 6 }, (_, seed) => draft(index.server, { body: noise(seed, 1_000_000) }));
    const huge = draft(index.server, { body: `${"x".repeat(1_100_000)} needle` });
    index.add([...large, huge]);
    index.index();
    expect(index.segments().length).toBeGreaterThan(1);
    expect(index.segments().flatMap(({ unindexed }) => unindexed)).toHaveLength(1);
    expect(index.find({ body: "needle" })).toEqual([huge.id]);
    const term = noise(3, 1_000_000).slice(700_000, 700_020);
    expect(index.find({ body: term })).toEqual([large[3]?.id]);
  });

  test("leaves a message whose content does not decompress unindexed, reports it once and indexes later ones", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages = Array.from({ length: 16 }, (_, place) =>
      draft(index.server, { subject: `subject ${place}`, body: `${"words ".repeat(50)} number ${place}` }),
    );
    index.add(messages);
    using database = new DatabaseSync(index.reading.location() ?? "");
    database.exec(
      "update content set detail = zeroblob(40) where number = (select content from message where sequence = 3)",
    );
    index.index();
    expect(covered(index)).toEqual([
      [1, 8, 8],
      [9, 16, 8],
    ]);
    expect(index.segments().map(({ unindexed }) => unindexed.length)).toEqual([1, 0]);
    for (const place of [0, 1, 3, 7, 8, 15]) {
      expect(index.find({ body: `number ${place}` })).toContain(messages[place]?.id);
    }
    expect(index.find({ body: "number 2" })).toEqual([]);
    expect(index.find({ subject: "subject 2" })).toEqual([messages[2]?.id]);
    expect(index.damage.map(({ code, cause }) => [code, String(cause)])).toEqual([
      ["data_damaged", expect.stringContaining(messages[2]?.id ?? "none")],
    ]);
  });

  test("covers a message without its content row, reports it once and still finds it by its subject", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages = Array.from({ length: 8 }, (_, place) =>
      draft(index.server, { subject: `subject ${place}`, body: `number ${place}` }),
    );
    index.add(messages);
    using database = new DatabaseSync(index.reading.location() ?? "");
    database.exec("delete from content where number = (select content from message where sequence = 3)");
    const beforeIndexing = index.find({ subject: "subject 2" });
    index.index();
    expect(covered(index)).toEqual([[1, 8, 8]]);
    expect(index.segments().map(({ unindexed }) => unindexed.length)).toEqual([1]);
    expect(beforeIndexing).toEqual([messages[2]?.id]);
    expect(index.find({ subject: "subject 2" })).toEqual(beforeIndexing);
    expect(index.find({ body: "number 2" })).toEqual([]);
    expect(index.find({ body: "number 3" })).toEqual([messages[3]?.id]);
    expect(index.damage.map(({ cause }) => String(cause))).toEqual([
      expect.stringContaining("content or subject row is missing"),
    ]);
  });

  test("separates directions and sorts instants that are out of order", async () => {
    const index = await TestIndex.open({ ...settings, serverMessageCountMin: 0 });
    const messages = [30, 10, 20, 5, 40, 15, 35, 25].map((minute, place) =>
      draft(index.server, {
        at: epochMs + minute * 60_000,
        direction: place % 2 === 0 ? "Received" : "Sent",
        body: "text",
      }),
    );
    index.add(messages);
    index.index();
    expect(index.segments()).toMatchObject([{ size: 8, receivedSize: 4 }]);
    const [a, b, c, d, e, f, g, h] = messages.map(({ id }) => id);
    expect(index.find({ body: "text" })).toEqual([e, g, a, c]);
    expect(index.find({ body: "text" }, { direction: "Sent" })).toEqual([h, f, b, d]);
    const receivedAfter = epochMs + 20 * 60_000;
    expect(index.find({ body: "text" }, { receivedAfter })).toEqual([e, g, a]);
    expect(index.find({ body: "text" }, { afterSequence: 4, itemsPerPage: 1 })).toEqual([e]);
  });
});

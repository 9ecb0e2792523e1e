import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MessagePage } from "../api/messages.ts";
import { pageSize } from "../navigation/mail-query.ts";
import type { Summary } from "../wire.ts";
import { joinPages, locatePage, uncountedCursor } from "./sparse-list.ts";

const summary = (at: number): Summary => ({ id: `m${at}` }) as Summary;
const page = (number: number, change: Partial<MessagePage> = {}): readonly [number, MessagePage] => {
  const items = Array.from({ length: pageSize }, (_, at) => summary(number * pageSize + at));
  return [number, { items, total: 1000, hasMore: true, cursor: 1, ...change }];
};
const nothing: ReadonlySet<string> = new Set();

describe("a list with a total", () => {
  const list = joinPages(new Map([page(0), page(4)]), nothing);

  test("has as many rows as the service counts", () => {
    expect([list.count, list.isOpenEnded]).toEqual([1000, false]);
  });

  test("returns the rows of loaded pages only", () => {
    expect([list.at(0)?.id, list.at(99)?.id, list.at(100), list.at(450)?.id]).toEqual(["m0", "m99", undefined, "m450"]);
    expect([list.rowOf("m450"), list.rowOf("m150"), list.pageOf(450)]).toEqual([450, -1, 4]);
  });

  test("uses the total of the newest page when two differ", () => {
    const pages = new Map([page(0, { total: 990, cursor: 7 }), page(1, { total: 1000, cursor: 3 })]);
    expect(joinPages(pages, nothing).count).toBe(990);
  });
});

describe("a list that became shorter", () => {
  test("has no messages of older pages behind its end", () => {
    const items = [summary(900), summary(901)];
    const list = joinPages(new Map([page(0, { items, total: 2, hasMore: false, cursor: 7 }), page(1)]), nothing);
    expect([list.count, list.rowOf("m901"), list.rowOf("m150"), list.at(150)]).toEqual([2, 1, -1, undefined]);
    expect(list.loadedIds()).toEqual(["m900", "m901"]);
  });
});

describe("a list without a total", () => {
  test("adds a page of rows while there are more messages", () => {
    const list = joinPages(new Map([page(0, { total: null }), page(1, { total: null })]), nothing);
    expect([list.count, list.knownCount, list.isOpenEnded]).toEqual([300, 200, true]);
  });

  test("has as many rows as were counted", () => {
    const pages = new Map([page(0, { total: null, cursor: 4 }), page(1, { total: null, cursor: 5 })]);
    const counted = joinPages(pages, nothing, { count: 731, isExact: true });
    expect([counted.count, counted.knownCount, counted.isOpenEnded]).toEqual([731, 731, false]);
    const more = joinPages(pages, nothing, { count: 10_000, isExact: false });
    expect([more.count, more.knownCount, more.isOpenEnded]).toEqual([10_100, 10_000, true]);
    expect(uncountedCursor(pages)).toBe(5);
  });

  test("does not rely on a count of fewer messages than are loaded, nor of a list whose end is known", () => {
    const open = new Map([page(0, { total: null }), page(1, { total: null })]);
    const outdated = joinPages(open, nothing, { count: 150, isExact: true });
    expect([outdated.knownCount, outdated.isOpenEnded]).toEqual([200, true]);
    const ended = new Map([page(0, { total: null }), page(1, { total: null, hasMore: false, items: [summary(100)] })]);
    expect(joinPages(ended, nothing, { count: 150, isExact: true }).count).toBe(101);
    expect([uncountedCursor(ended), uncountedCursor(new Map([page(0)])), uncountedCursor(new Map())]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("ends with its last page", () => {
    const last = page(1, { total: null, hasMore: false, items: [summary(100)] });
    const list = joinPages(new Map([page(0, { total: null }), last]), nothing);
    expect([list.count, list.isOpenEnded]).toEqual([101, false]);
  });
});

test("is empty without pages", () => {
  const list = joinPages(new Map(), nothing);
  expect([list.count, list.at(0), list.rowOf("m0")]).toEqual([0, undefined, -1]);
});

test("leaves out hidden messages and keeps the order of all others", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(199), { maxLength: 30 }), (hiddenRows) => {
      const hidden = new Set(hiddenRows.map((at) => `m${at}`));
      const list = joinPages(new Map([page(0, { total: 200 }), page(1, { total: 200 })]), hidden);
      const rows = Array.from({ length: list.count }, (_, row) => list.at(row)?.id ?? "");
      const expected = Array.from({ length: 200 }, (_, at) => `m${at}`).filter((id) => !hidden.has(id));
      expect(rows).toEqual(expected);
      for (const [row, id] of rows.entries()) expect(list.rowOf(id)).toBe(row);
      for (const id of hidden) expect(list.rowOf(id)).toBe(-1);
    }),
    { numRuns: 30 },
  );
});

const messageCount = 100_050;
const receivedOf = (at: number): string => new Date(1_800_000_000_000 - Math.floor(at / 250) * 1000).toISOString();

function openList(): { readonly read: (page: number) => Promise<MessagePage>; readonly reads: number[] } {
  const reads: number[] = [];
  const read = async (page: number): Promise<MessagePage> => {
    reads.push(page);
    const count = Math.max(0, Math.min(pageSize, messageCount - page * pageSize));
    const items = Array.from({ length: count }, (_, at) => {
      const row = page * pageSize + at;
      return { ...summary(1), id: `m${String(row)}`, received: receivedOf(row) };
    });
    return Promise.resolve({ items, total: messageCount, hasMore: count === pageSize, cursor: 1 });
  };
  return { read, reads };
}

test("finds the page of any message with few reads, also among messages of the same instant", async () => {
  const wrong: unknown[] = [];
  for (const row of [0, 99, 100, 249, 250, 777, 5000, 49_999, messageCount - 1]) {
    const { read, reads } = openList();
    const found = await locatePage(read, { id: `m${String(row)}`, received: receivedOf(row) });
    if (found !== Math.floor(row / pageSize) || reads.length > 25) wrong.push([row, found, reads]);
  }
  expect(wrong).toEqual([]);
});

test("finds no page for a message that is not in the list", async () => {
  const { read } = openList();
  for (const received of [receivedOf(0), receivedOf(700), receivedOf(messageCount), "2000-01-01T00:00:00.000Z"]) {
    expect(await locatePage(read, { id: "other", received })).toBeNull();
  }
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessageId, newServerId } from "../../../core/ids.ts";
import type { Page } from "../../../core/criteria.ts";
import { page } from "../../conformance/drafts.ts";
import { NewestMessages, newestCountMax, type ListedMessage } from "./newest-messages.ts";

const server = newServerId();

/** Creates message `n`; two neighbours share a millisecond. */
function message(n: number, bytes = 10): ListedMessage {
  const id = encodeMessageId({ server, direction: "Received", receivedAt: 1000 + (n >> 1), random: n });
  return { id, json: Buffer.from(JSON.stringify(`${n}`.padEnd(bytes))) };
}

/** Returns the list of the first `count` messages, by filtering all of them. */
function expected(count: number, { itemsPerPage, receivedAfter }: Page): readonly string[] {
  return Array.from({ length: count }, (_, n) => n)
    .filter((n) => receivedAfter === null || 1000 + (n >> 1) > receivedAfter)
    .toReversed()
    .slice(0, itemsPerPage)
    .map((n) => `${n}`.padEnd(10));
}

function shown(newest: NewestMessages, requested: Page): readonly string[] | undefined {
  const found = newest.page(requested);
  if (found === undefined) return undefined;
  const all = JSON.parse(`[${Buffer.from(found.json).toString()}]`) as string[];
  expect(found.count).toBe(all.length);
  return all;
}

test("returns the first pages that filtering all messages yields, and never changes returned bytes", () => {
  const pages = fc.record({
    itemsPerPage: fc.integer({ min: 1, max: 200 }),
    receivedAfter: fc.option(
      fc.oneof(fc.integer({ min: 990, max: 1120 }), fc.double({ min: 990, max: 1120, noNaN: true })),
    ),
  });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 }), pages, (before, more, given) => {
      const requested = page(given);
      const known = Array.from({ length: before }, (_, n) => message(n)).toReversed();
      const start = { messages: known.slice(0, newestCountMax), messageCount: before, cursor: before };
      const newest = NewestMessages.from(start);
      if (newest === undefined) throw new Error("ten bytes are too large");
      const first = newest.page(requested)?.json ?? Buffer.alloc(0);
      const bytes = Buffer.from(first);
      for (let n = before; n < before + more; n += 1) expect(newest.apply(n + 1, message(n))).toBe(true);
      expectPage(newest, requested, before + more);
      expect(Buffer.compare(first, bytes)).toBe(0);
    }),
  );
});

function expectPage(newest: NewestMessages, requested: Page, count: number): void {
  const found = shown(newest, requested);
  if (found === undefined) {
    // More messages than are retained, and a page larger than that.
    expect(Math.min(count, requested.itemsPerPage)).toBeGreaterThanOrEqual(newestCountMax);
    return;
  }
  expect(found).toEqual(expected(count, requested));
  const all = expected(count, { ...requested, itemsPerPage: 1000 });
  const { hasMore, cursor, total } = newest.page(requested) ?? {};
  expect({ hasMore, cursor }).toEqual({ hasMore: all.length > found.length, cursor: count });
  if (requested.receivedAfter === null) expect(total).toBe(count);
}

test("counts changes without a message, ignores repeated ones and rejects a gap", () => {
  const newest = NewestMessages.from({ messages: [message(0)], messageCount: 1, cursor: 7 });
  expect(newest?.apply(8, null)).toBe(true);
  expect(newest?.page(page())).toMatchObject({ count: 1, total: 1, cursor: 8 });
  expect(newest?.apply(7, message(0))).toBe(true);
  expect(newest?.page(page())).toMatchObject({ count: 1, total: 1, cursor: 8 });
  expect(newest?.apply(10, message(2))).toBe(false);
});

test("rejects a message that is not the newest", () => {
  const newest = NewestMessages.from({ messages: [message(5)], messageCount: 1, cursor: 1 });
  expect(newest?.apply(2, message(4))).toBe(false);
});

test("rejects summaries that are too large", () => {
  expect(NewestMessages.from({ messages: [message(0, 300_000)], messageCount: 1, cursor: 1 })).toBeUndefined();
  const newest = NewestMessages.from({ messages: [], messageCount: 0, cursor: 0 });
  expect(newest?.page(page())).toEqual({ json: Buffer.alloc(0), count: 0, hasMore: false, total: 0, cursor: 0 });
  let applied = 0;
  while (newest?.apply(applied + 1, message(applied, 3000)) === true) applied += 1;
  expect(applied).toBeGreaterThan(20);
  expect(newest?.bytes).toBeLessThanOrEqual(256 * 1024);
});

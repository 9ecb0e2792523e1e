import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessageId, newServerId } from "../../../core/ids.ts";
import type { Page } from "../../../core/criteria.ts";
import { page } from "../../conformance/drafts.ts";
import { NewestMessages, newestCountMax } from "./newest-messages.ts";
import type { ListedMessage } from "./newest-messages.ts";

const server = newServerId();

/** Message `n`; two neighbours share a millisecond. */
function message(n: number, bytes = 10): ListedMessage {
  const id = encodeMessageId({ server, direction: "Received", receivedAt: 1000 + (n >> 1), random: n });
  return { id, json: Buffer.from(JSON.stringify(`${n}`.padEnd(bytes))) };
}

/** What a list of the first `count` messages is, by looking at all of them. */
function expected(count: number, { itemsPerPage, receivedAfter }: Page): readonly string[] {
  return Array.from({ length: count }, (_, n) => n)
    .filter((n) => receivedAfter === null || 1000 + (n >> 1) > receivedAfter)
    .toReversed()
    .slice(0, itemsPerPage)
    .map((n) => `${n}`.padEnd(10));
}

function shown(newest: NewestMessages, wanted: Page): readonly string[] | undefined {
  const found = newest.page(wanted);
  if (found === undefined) return undefined;
  const all = JSON.parse(`[${Buffer.from(found.json).toString()}]`) as string[];
  expect(found.count).toBe(all.length);
  return all;
}

test("first pages are what looking at all messages finds, whatever comes; what was handed out stays", () => {
  const pages = fc.record({
    itemsPerPage: fc.integer({ min: 1, max: 200 }),
    receivedAfter: fc.option(
      fc.oneof(fc.integer({ min: 990, max: 1120 }), fc.double({ min: 990, max: 1120, noNaN: true })),
    ),
  });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 }), pages, (before, more, given) => {
      const wanted = page(given);
      const known = Array.from({ length: before }, (_, n) => message(n)).toReversed();
      const start = { messages: known.slice(0, newestCountMax), held: before, cursor: before };
      const newest = NewestMessages.from(start);
      if (newest === undefined) throw new Error("ten bytes are not too many");
      const first = newest.page(wanted)?.json ?? Buffer.alloc(0);
      const bytes = Buffer.from(first);
      for (let n = before; n < before + more; n += 1) expect(newest.follow(n + 1, message(n))).toBe(true);
      expectPage(newest, wanted, before + more);
      expect(Buffer.compare(first, bytes)).toBe(0);
    }),
  );
});

function expectPage(newest: NewestMessages, wanted: Page, count: number): void {
  const found = shown(newest, wanted);
  if (found === undefined) {
    // Too many to be told whole, and a page of more than are known.
    expect(Math.min(count, wanted.itemsPerPage)).toBeGreaterThanOrEqual(newestCountMax);
    return;
  }
  expect(found).toEqual(expected(count, wanted));
  const all = expected(count, { ...wanted, itemsPerPage: 1000 });
  const { hasMore, cursor, total } = newest.page(wanted) ?? {};
  expect({ hasMore, cursor }).toEqual({ hasMore: all.length > found.length, cursor: count });
  if (wanted.receivedAfter === null) expect(total).toBe(count);
}

test("changes of others count, repeated ones do not, and a missing one ends it", () => {
  const newest = NewestMessages.from({ messages: [message(0)], held: 1, cursor: 7 });
  expect(newest?.follow(8, null)).toBe(true);
  expect(newest?.page(page())).toMatchObject({ count: 1, total: 1, cursor: 8 });
  expect(newest?.follow(7, message(0))).toBe(true);
  expect(newest?.page(page())).toMatchObject({ count: 1, total: 1, cursor: 8 });
  expect(newest?.follow(10, message(2))).toBe(false);
});

test("a message that is not the newest ends it", () => {
  const newest = NewestMessages.from({ messages: [message(5)], held: 1, cursor: 1 });
  expect(newest?.follow(2, message(4))).toBe(false);
});

test("what takes too much room is not kept", () => {
  expect(NewestMessages.from({ messages: [message(0, 300_000)], held: 1, cursor: 1 })).toBeUndefined();
  const newest = NewestMessages.from({ messages: [], held: 0, cursor: 0 });
  expect(newest?.page(page())).toEqual({ json: Buffer.alloc(0), count: 0, hasMore: false, total: 0, cursor: 0 });
  let followed = 0;
  while (newest?.follow(followed + 1, message(followed, 3000)) === true) followed += 1;
  expect(followed).toBeGreaterThan(20);
  expect(newest?.bytes).toBeLessThanOrEqual(256 * 1024);
});

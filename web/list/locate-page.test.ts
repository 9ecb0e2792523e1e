import { expect, test } from "vitest";
import type { MessagePage } from "../api/messages.ts";
import { pageSize } from "../navigation/mail-query.ts";
import { summary } from "../testing/samples.ts";
import { locatePage } from "./locate-page.ts";

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

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadingTurns } from "./email-reader.ts";

/** Batches that record the parsed mails; the content is the first byte. */
function noting(): { readonly turns: ReadingTurns<number>; readonly seen: number[] } {
  const seen: number[] = [];
  const turns = new ReadingTurns((raw) => {
    seen.push(raw[0] ?? -1);
    return raw[0] ?? -1;
  });
  return { turns, seen };
}

test("concurrent mails are parsed in one batch in the next turn, in order, before any of them is processed", async () => {
  const { turns, seen } = noting();
  const batches: (readonly number[])[] = [];
  const read = [1, 2, 3].map(async (number) => {
    expect(await turns.read(Uint8Array.of(number))).toBe(number);
    batches.push([...seen]);
  });
  expect(seen).toEqual([]);
  await Promise.all(read);
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test("a batch ends after about one mebibyte; the other mails come with the next", async () => {
  const { turns, seen } = noting();
  const big = (number: number): Uint8Array => new Uint8Array(400_000).fill(number);
  const read = [1, 2, 3, 4, 5].map((number) => turns.read(big(number)));
  await nextTurn();
  expect(seen).toEqual([1, 2, 3]);
  const later = turns.read(Uint8Array.of(6));
  expect(await Promise.all([...read, later])).toEqual([1, 2, 3, 4, 5, 6]);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

test("mails that arrive a little after a batch of several join the next batch", async () => {
  const { turns, seen } = noting();
  await Promise.all([turns.read(Uint8Array.of(1)), turns.read(Uint8Array.of(2))]);
  const third = turns.read(Uint8Array.of(3));
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  expect(seen).toEqual([1, 2]);
  const fourth = turns.read(Uint8Array.of(4));
  expect(await third).toBe(3);
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(await fourth).toBe(4);
});

test("a full batch does not wait for more mails", async () => {
  const { turns, seen } = noting();
  await Promise.all([turns.read(Uint8Array.of(1)), turns.read(Uint8Array.of(2))]);
  const read = Array.from({ length: 30 }, () => turns.read(Uint8Array.of(3)));
  await nextTurn();
  expect(seen).toHaveLength(32);
  await Promise.all(read);
});

test("single mails are parsed in the next turn", async () => {
  const { turns } = noting();
  expect(await turns.read(Uint8Array.of(7))).toBe(7);
  expect(await turns.read(Uint8Array.of(8))).toBe(8);
});

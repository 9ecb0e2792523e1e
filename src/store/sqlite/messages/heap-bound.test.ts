import { expect, test } from "vitest";
import { HeapBound } from "./heap-bound.ts";

const mebibyte = 1024 * 1024;

/** Returns the number of collections after each size in MiB, to which a collection leaves `live`. */
function collectionsAfter(live: number, ...sizes: readonly number[]): readonly number[] {
  let [bytes, count] = [0, 0];
  const collect = (): void => {
    bytes = live * mebibyte;
    count += 1;
  };
  const bound = new HeapBound(24 * mebibyte, () => bytes, collect);
  return sizes.map((size) => {
    bytes = size * mebibyte;
    for (let batch = 0; batch < 16; batch += 1) bound.messagesStored(16);
    return count;
  });
}

test("collects garbage when the old generation has doubled since the last collection, from its minimum on", () => {
  expect(collectionsAfter(20, 10, 23, 25, 39, 41)).toEqual([0, 0, 1, 1, 2]);
  expect(collectionsAfter(8, 10, 23, 25, 23, 25)).toEqual([0, 0, 1, 1, 2]);
});

test("leaves a heap that was large before the first message until it has grown by half", () => {
  expect(collectionsAfter(300, 300, 440, 460, 590, 610)).toEqual([0, 0, 1, 1, 2]);
});

test("looks at the heap once per 128 messages", () => {
  let lookCount = 0;
  const oldBytes = (): number => {
    lookCount += 1;
    return 0;
  };
  const bound = new HeapBound(24 * mebibyte, oldBytes, () => undefined);
  for (let message = 0; message < 1024; message += 1) bound.messagesStored(1);
  expect(lookCount).toBe(8);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { RangeReader } from "./zip-archive.ts";

/** Content of bytes that count from 0, in chunks; counts passes. */
function countedContent(sizeBytes: number, chunkBytes: number) {
  const content = {
    sizeBytes,
    passCount: 0,
    async *read() {
      content.passCount += 1;
      const bytes = Uint8Array.from({ length: sizeBytes }, (_, at) => at);
      for (let at = 0; at < sizeBytes; at += chunkBytes) yield await Promise.resolve(bytes.slice(at, at + chunkBytes));
    },
  };
  return content;
}

test("reads ascending ranges in one pass", async () => {
  const content = countedContent(100, 7);
  const reader = new RangeReader(content);
  expect([...(await reader.read(3, 5))]).toEqual([3, 4]);
  expect([...(await reader.read(5, 20))]).toEqual(Array.from({ length: 15 }, (_, at) => at + 5));
  expect([...(await reader.read(98, 200))]).toEqual([98, 99]);
  expect([...(await reader.read(30, 30))]).toEqual([]);
  expect(content.passCount).toBe(1);
  expect([...(await reader.read(0, 2))]).toEqual([0, 1]);
  expect(content.passCount).toBe(2);
  await reader.close();
});

test("reads any ranges of any chunks", async () => {
  const range = fc.tuple(fc.nat(60), fc.nat(60));
  await fc.assert(
    fc.asyncProperty(fc.nat(50), fc.integer({ min: 1, max: 60 }), fc.array(range), async (size, chunkBytes, ranges) => {
      const reader = new RangeReader(countedContent(size, chunkBytes));
      const whole = Array.from({ length: size }, (_, at) => at);
      for (const [start, end] of ranges) {
        expect([...(await reader.read(start, end))]).toEqual(end > start ? whole.slice(start, end) : []);
      }
      await reader.close();
    }),
  );
});

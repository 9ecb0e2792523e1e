import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkOf, pngOf } from "./png.test-aid.ts";
import { decodePng, encodePng, readPngHeader } from "./png.ts";

const pixels = (width: number, height: number, of: (at: number) => number) => ({
  width,
  height,
  bytes: Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 4 === 3 ? 255 : of(at))),
});

describe("decodePng", () => {
  test("returns the pixels that encodePng wrote", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(255),
        (width, height, seed) => {
          const own = pixels(width, height, (at) => (at * 37 + seed) % 256);
          expect(decodePng(encodePng(own))).toEqual(own);
        },
      ),
    );
  });

  // Rows of four pixels: 10 20 30 40, as the filters of the specification write them below a row of 1 2 3 4.
  test.each<[string, number, readonly number[]]>([
    ["none", 0, [10, 20, 30, 40]],
    ["sub", 1, [10, 10, 10, 10]],
    ["up", 2, [9, 18, 27, 36]],
    ["average", 3, [10, 14, 19, 23]],
    ["Paeth", 4, [9, 10, 10, 10]],
  ])("reverses the filter %s", (_, filter, row) => {
    const png = pngOf({ width: 4, height: 2, depth: 8, type: 0, rows: [0, 1, 2, 3, 4, filter, ...row] });
    expect(decodePng(png)?.bytes.filter((_byte, at) => at % 4 === 0)).toEqual(
      Uint8Array.from([1, 2, 3, 4, 10, 20, 30, 40]),
    );
  });

  test.each<[string, Parameters<typeof pngOf>[0], readonly number[]]>([
    [
      "grey of one bit",
      { width: 2, height: 1, depth: 1, type: 0, rows: [0, 0b0100_0000] },
      [0, 0, 0, 255, 255, 255, 255, 255],
    ],
    ["grey with alpha", { width: 1, height: 1, depth: 8, type: 4, rows: [0, 7, 9] }, [7, 7, 7, 9]],
    ["colours", { width: 1, height: 1, depth: 8, type: 2, rows: [0, 1, 2, 3] }, [1, 2, 3, 255]],
    ["colours with alpha", { width: 1, height: 1, depth: 8, type: 6, rows: [0, 1, 2, 3, 4] }, [1, 2, 3, 4]],
    [
      "a palette of four bits",
      { width: 2, height: 1, depth: 4, type: 3, rows: [0, 0x10], palette: [1, 2, 3, 4, 5, 6] },
      [4, 5, 6, 255, 1, 2, 3, 255],
    ],
  ])("reads %s", (_, png, expected) => {
    expect([...(decodePng(pngOf(png))?.bytes ?? [])]).toEqual(expected);
  });

  const plain = { width: 1, height: 1, depth: 8, type: 0, rows: [0, 1] } as const;
  test.each<[string, Uint8Array]>([
    ["no PNG", Buffer.from("GIF89a".padEnd(40))],
    ["a file of other length", pngOf({ ...plain, rows: [0, 1, 2] })],
    ["more bytes than the header declares", pngOf({ ...plain, rows: Array.from({ length: 100_000 }, () => 0) })],
    ["fewer bytes than the header declares", pngOf({ ...plain, height: 3 })],
    ["an unknown filter", pngOf({ ...plain, rows: [5, 1] })],
    ["a palette that is missing", pngOf({ ...plain, type: 3 })],
    ["damaged data", Buffer.concat([pngOf(plain).subarray(0, 33), chunkOf("IDAT", Buffer.from("damaged"))])],
    ["more pixels than any screenshot", pngOf({ ...plain, width: 16_000, height: 1001 })],
    ["a side of no pixels", pngOf({ ...plain, width: 0 })],
    ["interlaced rows", pngOf({ ...plain, interlace: 1 })],
    ["sixteen bits", pngOf({ ...plain, depth: 16 })],
  ])("returns null for %s", (_, png) => {
    expect(decodePng(png)).toBeNull();
  });

  test("returns null or pixels for any bytes after the header", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, isDeflated) => {
        const content = isDeflated ? deflateSync(bytes) : Buffer.from(bytes);
        const png = Buffer.concat([pngOf(plain).subarray(0, 33), chunkOf("IDAT", content), Buffer.from(bytes)]);
        const decoded = decodePng(png);
        expect(decoded === null || decoded.bytes.length === 4).toBe(true);
      }),
    );
  });

  test("accepts as many pixels as a screenshot has at most", () => {
    expect(readPngHeader(pngOf({ ...plain, width: 16_000, height: 1000 }))).toMatchObject({ width: 16_000 });
  });
});

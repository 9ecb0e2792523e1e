import { constants, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextBytesMax, ZstdContext } from "./zstd-contexts.ts";

const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const packer = ZstdContext.forCompression({ params });
const unpacker = ZstdContext.forDecompression({});

function resultOf(context: ZstdContext, input: Uint8Array, outputBytes: number): Buffer | undefined {
  const output = Buffer.alloc(outputBytes);
  const length = context.run(input, output);
  return length === undefined ? undefined : output.subarray(0, length);
}

const plain = Buffer.from("the same words ".repeat(200));
const frame = zstdCompressSync(plain, { params });
const damaged = Buffer.from(frame);
damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);

describe("ZstdContext", () => {
  test("returns frames that equal those of the public function, and restores them", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.string({ maxLength: 3000 }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const packed = resultOf(packer, input, 4000);
        expect(packed).toEqual(zstdCompressSync(input, { params }));
        expect(resultOf(unpacker, packed ?? input, 4000)).toEqual(Buffer.from(input));
      }),
    );
  });

  test.each([
    ["a cut frame", frame.subarray(0, -10), 4000],
    ["a frame with a wrong checksum", damaged, 4000],
    ["bytes after a frame", Buffer.concat([frame, Buffer.from("x")]), 4000],
    ["no frame", plain, 4000],
    ["an output without room", frame, plain.length],
  ])("returns undefined for %s, and works afterwards", (_, input, outputBytes) => {
    expect(resultOf(unpacker, input, outputBytes)).toBeUndefined();
    expect(resultOf(unpacker, frame, plain.length + 1)).toEqual(plain);
  });

  test("compresses after an output without room", () => {
    expect(resultOf(packer, plain, frame.length)).toBeUndefined();
    expect(resultOf(packer, plain, frame.length + 1)).toEqual(frame);
  });

  test(`takes inputs and outputs of ${contextBytesMax} bytes, and none beyond`, () => {
    expect(resultOf(packer, Buffer.alloc(contextBytesMax), 4000)).toBeDefined();
    expect(resultOf(packer, Buffer.alloc(contextBytesMax + 1), 4000)).toBeUndefined();
    expect(resultOf(packer, plain, contextBytesMax)).toBeDefined();
    expect(resultOf(packer, plain, contextBytesMax + 1)).toBeUndefined();
  });
});

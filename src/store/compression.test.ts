import { createHash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compress, compressAsync, decompress, decompressAsync, decompressChunks } from "./compression.ts";
import { dictionary } from "./zstd-dictionary.ts";

const limit = 8 * 1024;
const text = (length: number): Buffer => Buffer.alloc(length, dictionary.subarray(0, 1000));

describe("dictionary of frames", () => {
  test("is the one that stored frames were written with", () => {
    const hash = createHash("sha256").update(dictionary).digest("hex");
    expect(hash).toBe("6b3a2bb254cc82e554e0f2365b32774ecb58159b806054ea25fb8f2efb974916");
  });

  test("makes the frame of a short mail a third smaller", () => {
    const fields = [
      "Message-ID: <1@a.example>",
      "From: a@a.example",
      "To: b@b.example",
      "Subject: Hello",
      "MIME-Version: 1.0",
    ];
    const mail = Buffer.from(`${fields.join("\r\n")}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello\r\n`);
    expect(compress(mail).bytes.length).toBeLessThan((zstdCompressSync(mail).length * 2) / 3);
  });

  test.each([1, 100, limit, limit + 1, 3 * limit])("restores content of %s bytes by every function", async (length) => {
    const plain = text(length);
    for (const packed of [
      compress(plain),
      await compressAsync(plain),
      { bytes: zstdCompressSync(plain), size: length },
    ]) {
      expect(Buffer.compare(decompress(packed), plain)).toBe(0);
      expect(Buffer.compare(await decompressAsync(packed), plain)).toBe(0);
      const chunks = await Array.fromAsync(decompressChunks(inChunks(packed.bytes)));
      expect(Buffer.concat(chunks).equals(plain)).toBe(true);
    }
  });

  test("is not used for content beyond 8 KiB", () => {
    expect(compress(text(limit + 1)).bytes.length).toBeGreaterThan(compress(text(limit)).bytes.length + 500);
  });

  test("restores a frame after one that was cut", () => {
    const packed = compress(text(500));
    for (const missing of [1, 4, 5, 10]) {
      expect(() => decompress({ ...packed, bytes: packed.bytes.subarray(0, -missing) })).toThrow("damaged");
      expect(Buffer.compare(decompress(packed), text(500))).toBe(0);
    }
  });
});

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}

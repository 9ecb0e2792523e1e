import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { MailBuffer } from "./mail-buffer.ts";

const roomy = (): ByteBudget => new ByteBudget(1e9);

function fill(buffer: MailBuffer, text: string): void {
  buffer.add(Buffer.from(text), 0, text.length);
}

describe("MailBuffer", () => {
  test("returns the bytes in order for chunks of any size", () => {
    const sizes = fc.array(fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 16_000, max: 40_000 })), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const buffer = new MailBuffer(1e9, roomy());
        const pieces = lengths.map((length, position) => Buffer.alloc(length + 2, position));
        for (const piece of pieces) buffer.add(piece, 1, piece.length - 1);
        expect(buffer.toBytes().equals(Buffer.concat(pieces.map((piece) => piece.subarray(1, -1))))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("returns the bytes in order for adopted chunks of which dots at the start of lines are left out", () => {
    const parts = fc.array(fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 16_000, max: 40_000 })), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 5 }), (chunks) => {
        const buffer = new MailBuffer(1e9, roomy());
        const expected: Buffer[] = [];
        for (const [number, lengths] of chunks.entries()) {
          const chunk = Buffer.alloc(
            lengths.reduce((sum, length) => sum + length + 1, 0),
            ".",
          );
          let at = 0;
          for (const [position, length] of lengths.entries()) {
            const part = Buffer.alloc(length, number * 8 + position);
            expected.push(part);
            part.copy(chunk, at);
            buffer.add(chunk, at, at + length);
            at += length + 1;
          }
          buffer.adopt(chunk);
        }
        const bytes = buffer.toBytes();
        expect(bytes.equals(Buffer.concat(expected))).toBe(true);
        buffer.freeStored();
      }),
      { numRuns: 100 },
    );
  });

  test("frees an adopted chunk of several parts after the last one is copied", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const chunk = Buffer.concat([Buffer.alloc(20_000, "a"), Buffer.from(".b."), Buffer.alloc(20_000, "c")]);
    buffer.add(chunk, 0, 20_000);
    buffer.add(chunk, 20_001, 20_002);
    buffer.add(chunk, 20_003, chunk.length);
    buffer.adopt(chunk);
    expect(buffer.toBytes().toString()).toBe(`${"a".repeat(20_000)}b${"c".repeat(20_000)}`);
    expect(chunk.buffer.byteLength).toBe(0);
  });

  test("holds a mail of more than 256 KiB once and frees it after it is stored", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const memory = Buffer.alloc(50_001);
    for (let position = 0; position < 40; position += 1) {
      // The first 256 KiB are not copied.
      const piece = position < 6 ? Buffer.alloc(50_000, position) : memory.fill(position).subarray(1);
      buffer.add(piece, 0, piece.length);
    }
    const expected = Buffer.concat(Array.from({ length: 40 }, (_, position) => Buffer.alloc(50_000, position)));
    const bytes = buffer.toBytes();
    expect(bytes.equals(expected)).toBe(true);
    buffer.freeStored();
    expect(bytes.buffer.byteLength).toBe(0);
    expect(memory.buffer.byteLength).toBe(50_001);
  });

  test("keeps chunks with memory of their own in a mail of more than 256 KiB, and frees them when it is whole", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const pieces = Array.from({ length: 20 }, (_, position) => Buffer.alloc(50_000, position));
    const expected = Buffer.concat(pieces);
    for (const piece of pieces) {
      buffer.add(piece, 0, piece.length);
      buffer.adopt(piece);
    }
    expect(pieces.map(({ buffer: memory }) => memory.byteLength)).toEqual(pieces.map(() => 50_000));
    expect(buffer.toBytes().equals(expected)).toBe(true);
    expect(pieces.map(({ buffer: memory }) => memory.byteLength)).toEqual(pieces.map(() => 0));
  });

  test("fills a block that a small chunk has begun before it keeps large chunks", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const pieces = [300_000, 10, 200_000, 100_000, 50_000].map((size, position) => Buffer.alloc(size, position));
    const expected = Buffer.concat(pieces);
    for (const piece of pieces) {
      buffer.add(piece, 0, piece.length);
      buffer.adopt(piece);
    }
    // 10 + 200,000 bytes do not fill a block of 256 KiB, and with 100,000 more they begin another one.
    expect(pieces.map(({ buffer: memory }) => memory.byteLength)).toEqual([300_000, 0, 0, 0, 0]);
    expect(buffer.toBytes().equals(expected)).toBe(true);
  });

  test("frees an adopted chunk after the mail is stored, and at once when it holds a copy", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const [first, second] = [Buffer.alloc(20_000, "a"), Buffer.alloc(10, "b")];
    for (const chunk of [first, second]) {
      buffer.add(chunk, 0, chunk.length);
      buffer.adopt(chunk);
    }
    expect([first.buffer.byteLength, second.buffer.byteLength]).toEqual([20_000, 0]);
    const bytes = buffer.toBytes();
    expect(first.buffer.byteLength).toBe(0);
    expect(bytes.toString()).toBe(`${"a".repeat(20_000)}${"b".repeat(10)}`);
    buffer.freeStored();
    expect(bytes.buffer.byteLength).toBe(0);
  });

  test("keeps an adopted chunk that a failed call may still read, and frees one that was never read", () => {
    const [read, unread] = [Buffer.alloc(20_000, "a"), Buffer.alloc(20_000, "b")];
    for (const chunk of [read, unread]) {
      const buffer = new MailBuffer(1e9, roomy());
      buffer.add(chunk, 0, chunk.length);
      buffer.adopt(chunk);
      if (chunk === read) buffer.toBytes();
      buffer.release();
    }
    expect([read.buffer.byteLength, unread.buffer.byteLength]).toEqual([20_000, 0]);
  });

  test("does not copy a mail of one chunk", () => {
    const piece = Buffer.from("..mail");
    const buffer = new MailBuffer(100, roomy());
    buffer.add(piece, 2, 6);
    expect(buffer.toBytes().buffer).toBe(piece.buffer);
    expect(buffer.toBytes().toString()).toBe("mail");
  });

  test("accepts a mail of the size limit and frees one that is a byte larger", () => {
    const budget = roomy();
    const buffer = new MailBuffer(10, budget);
    fill(buffer, "12345");
    fill(buffer, "67890");
    expect(buffer.refusal).toBeNull();
    expect(budget.bytesUsed).toBe(10);
    fill(buffer, "x");
    expect(buffer.refusal).toMatchObject({ code: 552, end: null });
    expect(budget.bytesUsed).toBe(0);
    expect(buffer.toBytes()).toHaveLength(0);
    fill(buffer, "123456789");
    expect(buffer.isExcessive).toBe(false);
    fill(buffer, "x");
    expect(buffer.isExcessive).toBe(true);
    expect(buffer.refusal).toMatchObject({ code: 552, end: "close" });
  });

  test("defers a mail when all mails together exceed the budget", () => {
    const budget = new ByteBudget(10);
    const first = new MailBuffer(100, budget);
    const second = new MailBuffer(100, budget);
    fill(first, "123456");
    fill(second, "1234");
    fill(second, "5");
    expect(second.refusal).toMatchObject({ code: 452, refusal: "overload" });
    expect(budget.bytesUsed).toBe(6);
    first.release();
    expect(budget.bytesUsed).toBe(0);
    first.release();
    expect(budget.bytesUsed).toBe(0);
  });

  test("gathers single bytes in blocks", () => {
    const buffer = new MailBuffer(1e9, roomy());
    const source = Buffer.alloc(64 * 1024, "x");
    const before = process.memoryUsage();
    for (let round = 0; round < 32; round += 1) {
      for (let at = 0; at < source.length; at += 1) buffer.add(source, at, at + 1);
    }
    const after = process.memoryUsage();
    const grownBytes = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(grownBytes).toBeLessThan(32 * 1024 * 1024);
    expect(buffer.toBytes()).toHaveLength(2 * 1024 * 1024);
  });
});

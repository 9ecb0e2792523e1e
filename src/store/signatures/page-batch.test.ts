import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteReader, ByteWriter } from "./page-batch.ts";

test("restores every number in order", () => {
  const numbers = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.integer({ min: 2 ** 31 - 2, max: 2 ** 32 + 1 }));
  fc.assert(
    fc.property(fc.array(numbers), (values) => {
      const writer = new ByteWriter();
      for (const value of values) writer.varint(value);
      const reader = new ByteReader(writer.take());
      expect(values.map(() => reader.varint())).toEqual(values);
      expect(reader.isAtEnd).toBe(true);
    }),
  );
});

test.each([0, 127, 128, 16_383, 16_384, 2 ** 28 - 1, 2 ** 28, 2 ** 32, 2 ** 49 - 1, Number.MAX_SAFE_INTEGER])(
  "restores %d",
  (value) => {
    const writer = new ByteWriter();
    writer.varint(value);
    expect(new ByteReader(writer.take()).varint()).toBe(value);
  },
);

test("writes numbers below 128 in one byte, below 16,384 in two", () => {
  const writer = new ByteWriter();
  writer.varint(127);
  expect(writer.length).toBe(1);
  writer.varint(16_383);
  expect(writer.length).toBe(3);
});

test("stores any number of bytes and is empty after take", () => {
  const writer = new ByteWriter();
  const bytes = new Uint8Array(100_000).map((_, index) => index);
  writer.byte(7);
  writer.append(bytes);
  expect(writer.take()).toEqual(Uint8Array.of(7, ...bytes));
  expect(writer.length).toBe(0);
  expect(writer.take()).toEqual(new Uint8Array(0));
});

test("reads zeros after the end", () => {
  const reader = new ByteReader(Uint8Array.of(0x80));
  expect([reader.varint(), reader.varint()]).toEqual([0, 0]);
  expect(reader.isAtEnd).toBe(true);
});

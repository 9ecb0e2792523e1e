import { expect, test } from "vitest";
import { freeMoved, handOver, movableCopy } from "./hand-over.ts";

test("transfers only large byte arrays that fill a buffer of their own", () => {
  const own = new Uint8Array(300_000);
  const part = new Uint8Array(new ArrayBuffer(600_000), 0, 300_000);
  const small = new Uint8Array(1000);
  expect(handOver("message", own, part, small)).toEqual({ message: "message", moved: [own.buffer] });
});

test("copies large bytes into a buffer of their own and keeps the original", () => {
  const bytes = Buffer.alloc(300_000, 7);
  const copy = movableCopy(bytes);
  structuredClone(copy, { transfer: handOver(copy, copy).moved as ArrayBuffer[] });
  expect([copy.byteLength, bytes.byteLength, bytes[299_999]]).toEqual([0, 300_000, 7]);
  const small = Buffer.from("small");
  expect(movableCopy(small)).toBe(small);
});

test("frees transferred bytes and keeps shared buffers", () => {
  const [own, shared] = [new Uint8Array(300_000), Buffer.from("small")];
  freeMoved(own);
  freeMoved(shared);
  expect([own.byteLength, shared.toString()]).toEqual([0, "small"]);
});

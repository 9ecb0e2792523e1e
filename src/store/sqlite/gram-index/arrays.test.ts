import { expect, test } from "vitest";
import { doubled, release } from "./arrays.ts";

test("a doubled buffer keeps its content, has zeros behind it and leaves nothing of the old one", () => {
  const before = Uint8Array.of(1, 2, 3);
  expect(new Uint8Array(doubled(before.buffer))).toEqual(Uint8Array.of(1, 2, 3, 0, 0, 0));
  expect(before.byteLength).toBe(0);
});

test("released arrays take no memory", () => {
  const arrays = [new Uint8Array(10), new Int32Array(10)];
  release(...arrays);
  expect(arrays.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
});

import { expect, test } from "vitest";
import { boundAllocations, type WorkerScope } from "./bounded-array.ts";

test("bounds byte arrays, which are ordinary ones otherwise", () => {
  const scope: WorkerScope = { Uint8Array, DecompressionStream };
  boundAllocations(scope);
  const Bounded = scope.Uint8Array;
  expect(() => new Bounded(64 * 1024 * 1024 + 1)).toThrow(RangeError);
  expect(new Bounded(3)).toEqual(new Uint8Array(3));
  expect(Bounded.from([1, 2]) instanceof Bounded).toBe(true);
  expect(new Uint8Array(1) instanceof Bounded).toBe(true);
  expect(Object.getPrototypeOf(new Bounded(1))).toBe(Uint8Array.prototype);
  expect("DecompressionStream" in scope).toBe(false);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { decimal } from "./query.ts";

test.each([
  [1, "1.0"],
  [0, "0.0"],
  [-0, "0.0"],
  [-0.0001, "0.0"],
  [1.5, "1.5"],
  [-2.25, "-2.25"],
  [0.1 + 0.2, "0.3"],
  [1000, "1000.0"],
  [1e20, "100000000000000000000.0"],
  [0.0625, "0.063"],
  [Number.NaN, "0.0"],
  [Infinity, "0.0"],
])("writes %d as %s", (value, text) => {
  expect(JSON.stringify({ score: decimal(value) })).toBe(`{"score":${text}}`);
});

test("writes every number with a point, without an exponent, and exact to three digits", () => {
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
      const text = JSON.stringify(decimal(value));
      expect(text).toMatch(/^-?\d+\.\d{1,3}$/);
      expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(0.000_501);
    }),
  );
});

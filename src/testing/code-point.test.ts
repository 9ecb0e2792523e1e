import fc from "fast-check";
import { expect, test } from "vitest";
import { codePoint } from "./code-point.test-aid.ts";

test("generates characters of one to four bytes in UTF-8, and no surrogate", () => {
  const characters = fc.sample(codePoint, 2000);
  expect(new Set(characters.map((one) => Buffer.byteLength(one)))).toEqual(new Set([1, 2, 3, 4]));
  expect(characters.filter((one) => !one.isWellFormed() || Array.from(one).length !== 1)).toEqual([]);
});

test("recognises its characters, so that fast-check generates dangerous names and shrinks given texts", () => {
  const texts = fc.string({ unit: codePoint });
  expect(["__proto__", "\0\u{10ffff}\ud7ff\ue000"].every((text) => texts.canShrinkWithoutContext(text))).toBe(true);
  expect(["\ud800", "a\udfffb"].some((text) => texts.canShrinkWithoutContext(text))).toBe(false);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { containing, fromNullableText, fromText, toNullableText, toText } from "./text.ts";

test("any text comes back, and holds no NUL on its way", () => {
  const text = fc.string({ unit: fc.constantFrom("\0", "\\", "0", "a", "é", "%") });
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (given) => {
      expect(toText(given)).not.toContain("\0");
      expect(fromText(toText(given))).toBe(given);
    }),
  );
});

test("what has neither NUL nor backslash stays as it is", () => {
  expect(toText("Přijaté ✉ % _ '")).toBe("Přijaté ✉ % _ '");
});

test("null stays null", () => {
  expect([toNullableText(null), fromNullableText(null)]).toEqual([null, null]);
  expect(fromNullableText(toNullableText("a\0"))).toBe("a\0");
});

test("a pattern escapes what LIKE would read as an operator", () => {
  expect(containing(String.raw`100%_\off`)).toBe(String.raw`%100\%\_\\off%`);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { containing } from "../../search/expression-sql.ts";
import { fromText, toText } from "./dialect.ts";
import { codePoint } from "../../../testing/code-point.test-aid.ts";

test("toText removes NUL from any text, and fromText restores it", () => {
  const text = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\\", "0", "a", "é", "%") });
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: codePoint })), (given) => {
      expect(toText(given)).not.toContain("\0");
      expect(fromText(toText(given))).toBe(given);
    }),
  );
});

test("toText does not change text without NUL, such as JSON", () => {
  const text = String.raw`{"a":"Přijaté ✉ % _ ' \n"}`;
  expect(toText(text)).toBe(text);
});

test("containing escapes the wildcards of LIKE", () => {
  expect(containing(String.raw`100%_\off`)).toBe(String.raw`%100\%\_\\off%`);
});

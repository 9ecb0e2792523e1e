import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesPattern } from "./mail-addresses.ts";

test.each([
  ["anna@app.example", "Anna@App.example", true],
  ["anna@app.example", "banna@app.example", false],
  ["*@app.example", "anna@app.example", true],
  ["*@app.example", "anna@sub.app.example", false],
  ["anna+*@*.example", "anna+1@app.example", true],
  ["anna+*@*.example", "anna@app.example", false],
  ["*", "", true],
  ["a*a", "a", false],
  ["*ab*ab", "ab", false],
  ["*ab*ab", "xababab", true],
  ["+1555*", "+15550100", true],
])("compares %s with %s: %s", (pattern, address, expected) => {
  expect(matchesPattern(pattern, address)).toBe(expected);
});

test("a pattern matches as the regular expression does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "@", ".", "*"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (pattern, address) => {
      const parts = pattern.split("*").map((part) => part.replaceAll(".", String.raw`\.`));
      expect(matchesPattern(pattern, address)).toBe(new RegExp(`^${parts.join(".*")}$`).test(address));
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { findCandidates } from "./candidates.ts";

const valuesOf = (text: string): string[] => findCandidates(text, 100).map(({ value }) => value);

test("finds words in capitals with every initial", () => {
  const words = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (initial) => `${initial}XKCD`);
  expect(valuesOf(words.join(" "))).toEqual(words);
});

test.each([
  ["ABC NOP", []],
  ["ABCDEFGHIJ NOPQRSTUVWX", ["ABCDEFGHIJ"]],
  ["ABC-NOP NOPQR-ABCDE", ["ABC-NOP", "NOPQR-ABCDE"]],
  ["ABC-NOP-XYZ ABCDEF-NOP", []],
  ["aNOPQ éABCD _NOPQ /ABCD .NOPQ", []],
  ["ABCDe NOPQ_ ABCD/ NOPQ.txt", []],
  ["NOPQ. ABCD, (NOPQ)", ["NOPQ", "ABCD", "NOPQ"]],
])("finds words of four to ten capitals, or two groups of three to five, in %j", (text, expected) => {
  expect(valuesOf(text)).toEqual(expected);
});

test("returns the first words in capitals, twice as many as the limit", () => {
  const found = findCandidates("ZULU ALFA YANKEE BRAVO XRAY CHARLIE", 2);
  expect(found.map(({ value }) => value)).toEqual(["ZULU", "ALFA", "YANKEE", "BRAVO"]);
});

test("finds the same words in capitals whether or not a text is ASCII", () => {
  const fragment = fc.constantFrom(
    "ABCD",
    "NOPQ",
    "MN",
    "ZA",
    "ABC-",
    "-NOP",
    "4821",
    "a8F3c2D1E9ABCD",
    "a",
    " ",
    "\n",
    "-",
    ".",
    "/",
    ": ",
  );
  const text = fc.array(fragment, { maxLength: 60 }).map((fragments) => fragments.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 8 }), (ascii, countMax) => {
      expect(findCandidates(`${ascii}\n`, countMax)).toEqual(findCandidates(`${ascii}\n–`, countMax));
    }),
  );
});

test.each([
  ["3f2A9c1eD4b7 X7K9QZ 0123456789abcdef", ["X7K9QZ"]],
  ["3f2A9c1eD4b7-8821904-XKQD", []],
  ["3f2A9c1eD4b7\tHKWP\t9f86d081884c7d65", ["HKWP"]],
  ["Bestätigungscode-482913", ["482913"]],
  ["***X7K9QZ42LM***", ["X7K9QZ42LM"]],
  ["***X7K9QZ42LM5***", []],
  ["4F7K2-P9XQ1-ABCDE", []],
  ["4F7K-P9XQ-ABCD", ["4F7K-P9XQ-ABCD"]],
  ["12345678901 2345", []],
])("passes over words that are longer than any code, in %j", (text, expected) => {
  expect(valuesOf(text)).toEqual(expected);
});

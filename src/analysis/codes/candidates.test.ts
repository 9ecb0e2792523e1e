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

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

const character = fc.constantFrom(...Array.from("aZK19-_.,:?=+*'#/$~é\u0001Я8"));
const form = fc.constantFrom(
  "HKWPTZ",
  "WDJB-MJHT",
  "804219",
  "X7K9QZ",
  "G-482913",
  "4F7K2-P9XQ1-ABCDE",
  "12.99",
  "Code-482910",
);
const unbroken = fc.array(fc.oneof(character, form), { maxLength: 12 }).map((pieces) => pieces.join(""));
const lengths = fc.array(fc.integer({ min: 4, max: 150 }), { minLength: 20, maxLength: 20 });

test("finds in a text the candidates of each of its words", () => {
  fc.assert(
    fc.property(fc.array(unbroken, { maxLength: 20 }), lengths, (words, gaps) => {
      let text = "";
      const expected = words.flatMap((word, index) => {
        const { length } = (text += " ".repeat(gaps[index] ?? 4));
        text += word;
        return findCandidates(word, 2000).map(({ value, start }) => ({ value, start: start + length }));
      });
      expect(findCandidates(text, 2000).map(({ value, start }) => ({ value, start }))).toEqual(expected);
    }),
  );
});

test("finds the words in capitals that an expression finds", () => {
  const within = String.raw`A-Za-z0-9\u00c0-\u024f_-`;
  const word = new RegExp(
    String.raw`(?<![.${within}])(?:[A-Z]{4,10}|[A-Z]{3,5}-[A-Z]{3,5})(?![${within}]|\.[a-z])`,
    "g",
  );
  const piece = fc.constantFrom("A", "BC", "DEF", "-", ".", "x", " ", "_", "é", "Я");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      expect(findCandidates(text, 2000).map(({ value }) => value)).toEqual(text.match(word) ?? []);
    }),
  );
});

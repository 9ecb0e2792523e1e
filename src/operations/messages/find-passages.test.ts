import fc from "fast-check";
import { expect, test } from "vitest";
import { foldText } from "../../core/fold.ts";
import { passageAround } from "./excerpt-messages.ts";

test.each([
  ["The needle", ["needle"], "The needle"],
  ["The\n\n  Needle \tis", ["needle"], "The Needle is"],
  [`${"a".repeat(50)} one needle`, ["needle"], "…one needle"],
  [`needle${"b".repeat(500)}`, ["needle"], `needle${"b".repeat(130)}…`],
  [`${"İ".repeat(40)} one needle`, ["needle"], "…one needle"],
  ["The needle", ["absent", "needle"], "The needle"],
  ["The needle", [], null],
  ["The needle", ["haystack"], null],
  ["", ["x"], null],
])("returns the passage of %j around %j: %j", (text, terms, expected) => {
  expect(passageAround(text, terms)).toBe(expected);
});

test("contain the term, are short and well-formed, for any text and term", () => {
  const unit = fc.constantFrom("a", "B", "İ", "ß", "😀", "\uD83D", "\uDE00", "σ", "Σ", "\0", "x".repeat(30));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), fc.string({ unit, minLength: 1, maxLength: 3 }), (text, term) => {
      const found = passageAround(text, [foldText(term)]);
      if (!foldText(text).includes(foldText(term))) return found === null;
      return found !== null && found.isWellFormed() && found.length <= 162;
    }),
  );
});

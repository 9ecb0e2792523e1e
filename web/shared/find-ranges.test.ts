import fc from "fast-check";
import { expect, test } from "vitest";
import { findRanges } from "./find-ranges.ts";

const marked = (text: string, ...terms: readonly string[]): readonly string[] =>
  findRanges(text, terms).map(({ start, end }) => text.slice(start, end));

test.each([
  ["Your Order, order 12", ["order"], ["Order", "order"]],
  ["overlapping", ["lap", "appi", "ing"], ["lapping"]],
  ["aaaa", ["aa"], ["aaaa"]],
  ["ΟΔΟΣ", ["οδοσ"], ["ΟΔΟΣ"]],
  ["İstanbul", ["i"], ["İ"]],
  ["😀 ok 😀", ["😀"], ["😀", "😀"]],
  ["nothing", ["", "x"], []],
  ["Please reset\n your\u00a0password", ["reset your password"], ["reset\n your\u00a0password"]],
  ["pass\u00adword", ["password"], ["pass\u00adword"]],
  ["Re\u0301sumé", ["résumé"], ["Re\u0301sumé"]],
])("marks in %j the terms %j", (text, terms, expected) => {
  expect(marked(text, ...terms)).toEqual(expected);
});

test("returns ordered ranges that neither touch nor split a surrogate pair, for any text and terms", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "B", "İ", "ß", "😀", "\uD83D", "\uDE00", "σ", "Σ", " ") });
  const cuts = (text: string): ReadonlySet<number> => {
    const offsets = new Set([0]);
    let at = 0;
    for (const character of text) offsets.add((at += character.length));
    return offsets;
  };
  fc.assert(
    fc.property(texts, fc.array(texts, { maxLength: 3 }), (text, terms) => {
      const ranges = findRanges(text, terms);
      const allowed = cuts(text);
      let end = -1;
      for (const range of ranges) {
        if (range.start <= end || range.end <= range.start) return false;
        if (!allowed.has(range.start) || !allowed.has(range.end)) return false;
        ({ end } = range);
      }
      // Every term that the text contains as it is written is marked.
      return terms.every((term) => {
        const at = term === "" ? -1 : text.indexOf(term);
        if (at < 0 || !allowed.has(at) || !allowed.has(at + term.length)) return true;
        return ranges.some((range) => range.start <= at && range.end >= at + term.length);
      });
    }),
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { termsOf } from "./mail-query.ts";
import { committed, joinQuery, liveQuery, markedTerms, splitQuery, withText, type SearchDraft } from "./query-text.ts";

const typed = (text: string, chips: readonly string[] = []): SearchDraft => withText({ chips, text: "" }, text);

describe("a draft", () => {
  test.each([
    ["invoice", [], "invoice"],
    ["from:ali", [], "from:ali"],
    ["from:ali ", ["from:ali"], ""],
    ["due from:ali inv", ["from:ali"], "due inv"],
    ['from:"Anna B', [], 'from:"Anna B'],
    ['from:"Anna B" -is:read ', ['from:"Anna B"', "-is:read"], ""],
    ["from: a", [], "from: a"],
    ["12:30 x", [], "12:30 x"],
    ["a OR from:b c", [], "a OR from:b c"],
  ])("divides the draft %j into the chips %j and the text %j", (text, chips, rest) => {
    expect(typed(text)).toEqual({ chips, text: rest });
  });

  test("has all operators as chips once it is committed", () => {
    expect(committed({ chips: ["is:unread"], text: "due from:ali" })).toEqual({
      chips: ["is:unread", "from:ali"],
      text: "due",
    });
  });

  test.each([
    ["due from:", "due"],
    ["due is:unr", "due"],
    ["due is:unread", "due is:unread"],
    ["larger:1", "larger:1"],
    ["larger:x", ""],
    ["larger:x ", "larger:x"],
    ["after:2026-1", "after:2026-1"],
    ["after:2026-13", ""],
    ["-", ""],
    ["x from:a", "x from:a"],
  ])("searches for the text %j by %j while it is typed", (text, q) => {
    expect(liveQuery({ chips: [], text })).toBe(q);
  });

  test("keeps all terms of a query", () => {
    const words = fc.constantFrom("a", "from:b", '"c d"', "-is:read", "(e OR f)", "12:30");
    fc.assert(
      fc.property(fc.array(words), (terms) => {
        const q = terms.join(" ");
        const again = termsOf(joinQuery(splitQuery(q)));
        expect(again.toSorted()).toEqual(termsOf(q).toSorted());
      }),
    );
  });
});

test("the marked terms are those that matches contain", () => {
  expect(markedTerms('inv "your code" from:"Anna B" -draft -to:x is:unread after:2h (a OR b)')).toEqual([
    { operator: null, text: "inv" },
    { operator: null, text: "your code" },
    { operator: "from", text: "Anna B" },
    { operator: null, text: "a" },
    { operator: null, text: "b" },
  ]);
  expect(markedTerms("a OR subject:b").map(({ text }) => text)).toEqual(["a", "b"]);
});

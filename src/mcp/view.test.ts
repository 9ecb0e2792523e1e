import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countMessages, pageOf, shorten } from "./view.ts";

describe("pageOf", () => {
  test("returns pages that make up the text, none with half of a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 7 }), (text, lengthMax) => {
        const pages: string[] = [];
        for (let offset: number | null = 0; offset !== null;) {
          const page = pageOf(text, offset, lengthMax);
          expect(page.text.length).toBeLessThanOrEqual(lengthMax);
          expect(page.text.isWellFormed()).toBe(true);
          pages.push(page.text);
          offset = page.next;
        }
        expect(pages.join("")).toBe(text);
      }),
    );
  });

  test("is empty past the end", () => {
    expect(pageOf("abc", 10, 5)).toEqual({ text: "", next: null });
  });
});

test("shorten marks what it cuts", () => {
  expect([shorten("abcd", 4), shorten("abcde", 4), shorten("abc\u{1F600}", 4)]).toEqual(["abcd", "abcd…", "abc…"]);
});

test("countMessages has a singular", () => {
  expect([0, 1, 2].map(countMessages)).toEqual(["0 messages", "1 message", "2 messages"]);
});

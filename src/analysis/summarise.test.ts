import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { summaryLengthMax } from "./bounds.ts";
import { summarise } from "./summarise.ts";

describe("a summary", () => {
  test.each([
    ["of nothing is empty", "", ""],
    ["of white space is empty", " \n\t\u00a0 ", ""],
    ["of zero-width characters is empty", "\u200b\u200b", ""],
    ["is on one line", "  Hello,\n\n  Ada \t Lovelace ", "Hello, Ada Lovelace"],
  ])("%s", (_, text, expected) => {
    expect(summarise(text)).toBe(expected);
  });

  test(`keeps ${summaryLengthMax} code units and cuts the rest`, () => {
    expect(summarise("a".repeat(summaryLengthMax))).toBe("a".repeat(summaryLengthMax));
    expect(summarise("a".repeat(summaryLengthMax + 1))).toBe("a".repeat(summaryLengthMax));
  });

  test("does not end in white space", () => {
    expect(summarise(`${"a".repeat(summaryLengthMax - 1)} bcd`)).toBe("a".repeat(summaryLengthMax - 1));
  });

  test.each([
    ["a family", "👨‍👩‍👧‍👦"],
    ["a flag", "🇫🇷"],
    ["a letter and its accent", "e\u0301"],
    ["a surrogate pair", "𝒳"],
    ["a skin tone", "👍🏽"],
  ])("does not cut %s", (_, character) => {
    const before = "a".repeat(summaryLengthMax - 1);
    expect(summarise(`${before}${character}b`)).toBe(before);
    const fitting = "a".repeat(summaryLengthMax - character.length);
    expect(summarise(`${fitting}${character}b`)).toBe(`${fitting}${character}`);
  });

  test("skips any amount of leading white space", () => {
    expect(summarise(`${" \n".repeat(100_000)}Hello`)).toBe("Hello");
  });

  test("summarises text that is mostly white space", () => {
    expect(summarise("a      ".repeat(400))).toBe("a ".repeat(summaryLengthMax / 2).trim());
  });

  test("is never longer than the limit, is well-formed, and equals its own summary", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 600 }), (text) => {
        const summary = summarise(text);
        expect(summary.length).toBeLessThanOrEqual(summaryLengthMax);
        expect(summary.isWellFormed()).toBe(true);
        expect(summarise(summary)).toBe(summary);
      }),
    );
  });
});

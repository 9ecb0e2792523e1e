import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gramBytes, gramKey, gramKeyEnd, termGrams, writeGrams } from "./grams.ts";
import type { GramField } from "./grams.ts";
import { arbitraryText, utf8 } from "./segment.test-aid.ts";

function keysOf(text: string, field: GramField = "body"): number[] {
  const bytes = utf8(text);
  const parts = { high: new Uint32Array(bytes.length), low: new Uint16Array(bytes.length) };
  writeGrams({ bytes, start: 0, startEnd: bytes.length, end: bytes.length }, parts);
  return Array.from(bytes, (_, at) => gramKey(field, parts.high[at] ?? 0, parts.low[at] ?? 0));
}

describe("the grams of a text", () => {
  test("are six bytes from each byte on, in the order of bytes, filled up with zeros", () => {
    expect(keysOf("abcdefg").map((key) => key.toString(16))).toEqual([
      "1616263646566",
      "1626364656667",
      "1636465666700",
      "1646566670000",
      "1656667000000",
      "1666700000000",
      "1670000000000",
    ]);
    expect(keysOf("")).toEqual([]);
  });

  test("are below the end of keys, those of subjects before those of bodies", () => {
    const highest = "\u{10ffff}\u{10ffff}";
    expect(Math.max(...keysOf(highest, "body"))).toBeLessThan(gramKeyEnd);
    expect(Math.max(...keysOf(highest, "subject"))).toBeLessThan(Math.min(...keysOf("\u0001", "body")));
  });

  test("of a stretch are those of the whole text that start there", () => {
    const bytes = utf8("The quick brown fox");
    const parts = { high: new Uint32Array(4), low: new Uint16Array(4) };
    writeGrams({ bytes, start: 3, startEnd: 7, end: bytes.length }, parts);
    const keys = Array.from(parts.high, (high, at) => gramKey("body", high, parts.low[at] ?? 0));
    expect(keys).toEqual(keysOf("The quick brown fox").slice(3, 7));
  });
});

describe("the grams of a term", () => {
  test("are met by every text that contains the term", () => {
    const field = fc.constantFrom<GramField>("subject", "body");
    const cut = fc.record({ from: fc.nat(), length: fc.nat(40) });
    fc.assert(
      fc.property(arbitraryText, cut, field, (text, { from, length }, field) => {
        const characters = Array.from(text);
        const start = from % (characters.length + 1);
        const term = characters.slice(start, start + length).join("");
        const keys = keysOf(text, field);
        for (const { first, last } of termGrams(utf8(term), field)) {
          expect(keys.some((key) => key >= first && key <= last)).toBe(true);
        }
      }),
    );
  });

  test("of up to six bytes are met by no text that lacks it", () => {
    fc.assert(
      fc.property(arbitraryText, fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }), (text, term) => {
        const bytes = utf8(term.replaceAll("\0", ""));
        fc.pre(bytes.length > 0 && bytes.length <= gramBytes);
        const [range] = termGrams(bytes, "body");
        const isMet = keysOf(text).some((key) => range !== undefined && key >= range.first && key <= range.last);
        expect(isMet).toBe(Buffer.from(utf8(text)).includes(bytes));
      }),
    );
  });

  test("are none for the empty term and few for a long one", () => {
    expect(termGrams(utf8(""), "body")).toEqual([]);
    expect(termGrams(utf8("a"), "body")).toHaveLength(1);
    expect(termGrams(utf8("abcdefgh"), "body")).toHaveLength(3);
    const long = termGrams(utf8(Array.from({ length: 400 }, (_, one) => `${one}`).join("")), "body");
    expect(long.length).toBeLessThanOrEqual(24);
    expect(long.length).toBeGreaterThan(10);
  });
});

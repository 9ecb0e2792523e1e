import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseByteRange } from "./file-response.ts";

describe("parseByteRange of ten bytes", () => {
  test.each([
    ["bytes=0-4", { first: 0, last: 4 }],
    ["bytes=5-", { first: 5, last: 9 }],
    ["bytes=-3", { first: 7, last: 9 }],
    ["bytes=-30", { first: 0, last: 9 }],
    ["bytes=0-999", { first: 0, last: 9 }],
    ["bytes=9-9", { first: 9, last: 9 }],
    ["Bytes = 1-2 ", { first: 1, last: 2 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=99999999999999999999999-", "unsatisfiable"],
    ["bytes=4-2", undefined],
    ["bytes=-", undefined],
    ["bytes=0-1,3-4", undefined],
    ["bytes=a-b", undefined],
    ["lines=0-1", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("parses %j", (field, range) => {
    expect(parseByteRange(field, 10)).toEqual(range);
  });

  test("returns unsatisfiable for empty content", () => {
    expect(parseByteRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseByteRange("bytes=-1", 0)).toBe("unsatisfiable");
  });

  test("returns only ranges within the content", () => {
    const fields = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.option(fc.nat()), fc.option(fc.nat()))
        .map(([from, to]) => `bytes=${String(from ?? "")}-${String(to ?? "")}`),
    );
    fc.assert(
      fc.property(fields, fc.nat(1000), (field, length) => {
        const range = parseByteRange(field, length);
        if (range === undefined || range === "unsatisfiable") return;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.first).toBeLessThanOrEqual(range.last);
        expect(range.last).toBeLessThan(length);
      }),
    );
  });
});

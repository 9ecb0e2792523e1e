import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contrast, parseColour } from "./colour.ts";

describe("a colour", () => {
  test.each([
    ["#fff", [255, 255, 255]],
    ["#1a2B3c", [26, 43, 60]],
    ["#1a2b3cff", [26, 43, 60]],
    ["1a2b3c", [26, 43, 60]],
    [" White ", [255, 255, 255]],
    ["rebeccapurple", undefined],
    ["rgb(1, 2, 3)", [1, 2, 3]],
    ["rgb(1 2 3 / 1)", [1, 2, 3]],
    ["rgba(1,2,3,1.0)", [1, 2, 3]],
    ["rgb(300,0,0)", [255, 0, 0]],
    ["rgba(1,2,3,0.5)", undefined],
    ["#1a2b3c80", undefined],
    ["#12345", undefined],
    ["transparent", undefined],
    ["currentcolor", undefined],
    ["var(--x)", undefined],
    ["", undefined],
  ])("%j is parsed", (text, parts) => {
    const colour = parseColour(text);
    expect(colour === undefined ? undefined : [colour.red, colour.green, colour.blue]).toEqual(parts);
  });
});

describe("contrast", () => {
  /** Values of the W3C's examples and calculators, to two digits. */
  test.each([
    ["#000", "#fff", 21],
    ["#fff", "#fff", 1],
    ["#767676", "#fff", 4.54],
    ["#777", "#fff", 4.48],
    ["#949494", "#fff", 3.03],
    ["#f00", "#fff", 4],
    ["#00f", "#ff0", 8],
  ])("returns the contrast of %s on %s: %d", (one, other, ratio) => {
    const [a, b] = [parseColour(one), parseColour(other)];
    if (a === undefined || b === undefined) throw new Error("a colour of the test cannot be read");
    expect(Math.floor(contrast(a, b) * 100) / 100).toBeCloseTo(ratio, 1);
    expect(contrast(a, b)).toBe(contrast(b, a));
  });

  test("is between 1 and 21 for any colours", () => {
    const colours = fc.record({ red: fc.nat(255), green: fc.nat(255), blue: fc.nat(255) });
    fc.assert(
      fc.property(colours, colours, (one, other) => {
        const ratio = contrast(one, other);
        expect(ratio >= 1 && ratio <= 21.000_001).toBe(true);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textMasks } from "./text-masks.ts";

const visible = "Your order A-1234 ships on 1 December 2026.\nYour code is 804219. Sent to ada@shop.example, 12 pieces";
const masks = textMasks(visible, [{ name: "recipient", value: "ada@shop.example" }]);

describe("textMasks", () => {
  test.each([
    ["A-1234", "{*}"],
    [" 804219 ", " {*} "],
    ["ships on 1 December 2026", "ships on {*}"],
    ["for ADA@shop.example\n© 2026", "for {recipient}\n© {*}"],
    ["Your order", "Your order"],
    ["  two  spaces, 12 pieces and € 90.80 ", "  two  spaces, 12 pieces and € 90.80 "],
  ])("masks %j as %j", (text, masked) => {
    expect(masks(text)).toBe(masked);
  });

  test("never throws, and keeps line ends, for any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seen, text) => {
        expect(textMasks(seen, [])(text).split(/\r|\n/).length).toBe(text.split(/\r|\n/).length);
      }),
      { numRuns: 15 },
    );
  });
});

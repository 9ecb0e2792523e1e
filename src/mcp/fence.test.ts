import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fence, showHidden } from "./fence.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

const shape = /^.*\n----- begin untrusted content ([0-9a-f]{24}) -----\n([^]*)\n----- end untrusted content \1 -----$/;

describe("fence", () => {
  test("encloses any content, also a fence, in a boundary of its own", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 100 }), (content) => {
        const outer = fence(fence(content));
        const [, boundary = "-", inside = ""] = shape.exec(outer) ?? [];
        expect(inside).not.toContain(boundary);
        expect(shape.exec(inside)?.[2]).toBe(showHidden(showHidden(content)));
      }),
      { numRuns: 30 },
    );
  });
});

test("every character that Unicode ignores by default or uses to control direction is shown, but joiners and selectors", () => {
  const left: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    if (!/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character)) continue;
    if (showHidden(character) === character) left.push(point.toString(16));
  }
  expect(left).toEqual(["180b", "180c", "180d", "180f", "200c", "200d", "fe0e", "fe0f"]);
});

describe("showHidden", () => {
  test.each([
    ["tags", "\u{E0041}\u{E007F}", "\\u{E0041}\\u{E007F}"],
    ["variation selectors that carry bytes", "a\uFE00\u{E01EF}", "a\\u{FE00}\\u{E01EF}"],
    ["controls of direction", "\u202Eabc\u2066", "\\u{202E}abc\\u{2066}"],
    [
      "zero-width and other ignorable characters",
      "a\u200Bb\u3164\u115F\u034F",
      "a\\u{200B}b\\u{3164}\\u{115F}\\u{34F}",
    ],
    ["marks of direction", "\u200E\u200F\u061C", "\\u{200E}\\u{200F}\\u{61C}"],
    ["terminal controls", "\u001B[2J\u009B\u0000", "\\u{1B}[2J\\u{9B}\\u{0}"],
    ["a lone surrogate", "\uD800", "\uFFFD"],
    ["line ends", "a\r\nb\rc", "a\nb\nc"],
    [
      "visible text",
      "Ä\t\u{1F468}\u200D\u{1F469} \u2764\uFE0F می\u200Cخواهم",
      "Ä\t\u{1F468}\u200D\u{1F469} \u2764\uFE0F می\u200Cخواهم",
    ],
  ])("shows %s", (_title, text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });
});

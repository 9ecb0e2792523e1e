import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countSegments } from "./sms.ts";

/** UTF-16 units of all kinds, including lone surrogates. */
const anyText = fc.array(fc.nat({ max: 0xffff }), { maxLength: 600 }).map((units) => String.fromCharCode(...units));

describe("segments", () => {
  test.each([
    ["nothing", "", "GSM-7", 1],
    ["one character", "a", "GSM-7", 1],
    ["160 basic characters", "a".repeat(160), "GSM-7", 1],
    ["161 basic characters", "a".repeat(161), "GSM-7", 2],
    ["306 basic characters", "a".repeat(306), "GSM-7", 2],
    ["307 basic characters", "a".repeat(307), "GSM-7", 3],
    ["80 characters of the extension table", "€".repeat(80), "GSM-7", 1],
    ["81 characters of the extension table", "€".repeat(81), "GSM-7", 2],
    ["an escape that would be torn", `${"a".repeat(152)}€${"a".repeat(152)}`, "GSM-7", 3],
    ["an escape that just fits", `${"a".repeat(151)}€${"a".repeat(153)}`, "GSM-7", 2],
    ["every basic letter with a mark", "@£$¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà\r\n", "GSM-7", 1],
    ["the whole extension table", "\f^{}\\[~]|€", "GSM-7", 1],
    ["a letter that GSM-7 lacks", "ç", "UCS-2", 1],
    ["a backtick", "`", "UCS-2", 1],
    ["a tab", "\t", "UCS-2", 1],
    ["a typographic apostrophe", "it’s", "UCS-2", 1],
    ["70 units of UCS-2", "ж".repeat(70), "UCS-2", 1],
    ["71 units of UCS-2", "ж".repeat(71), "UCS-2", 2],
    ["134 units of UCS-2", "ж".repeat(134), "UCS-2", 2],
    ["135 units of UCS-2", "ж".repeat(135), "UCS-2", 3],
    ["35 emoji", "😀".repeat(35), "UCS-2", 1],
    ["36 emoji", "😀".repeat(36), "UCS-2", 2],
    ["a surrogate pair that would be torn", `${"ж".repeat(66)}😀${"ж".repeat(66)}`, "UCS-2", 3],
    ["a surrogate pair that just fits", `${"ж".repeat(65)}😀${"ж".repeat(67)}`, "UCS-2", 2],
    ["a lone surrogate", "\ud83d", "UCS-2", 1],
  ])("counts the segments of %s", (_, text, ...[encoding, segments]) => {
    expect(countSegments(text)).toEqual({ encoding, segments });
  });

  test("are within the bounds that the number of units gives", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isBasic) => {
        const given = isBasic ? text.replaceAll(/[^a-z€]/g, "€") : text;
        const { encoding, segments } = countSegments(given);
        const units =
          encoding === "UCS-2" ? given.length : given.length + given.replaceAll(/[^\f^{}\\[~\]|€]/g, "").length;
        const [alone, joined] = encoding === "UCS-2" ? [70, 67] : [160, 153];
        expect(segments === 1).toBe(units <= alone);
        expect(segments).toBeGreaterThanOrEqual(units <= alone ? 1 : Math.ceil(units / joined));
        expect(segments).toBeLessThanOrEqual(Math.max(1, Math.ceil(units / (joined - 1))));
      }),
    );
  });
});

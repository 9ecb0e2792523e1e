import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePhoneNumber, parseSmsSender } from "./phone-number.ts";

describe("a phone number", () => {
  test.each([
    ["+15550100", "+15550100"],
    ["+1 (555) 010-0000", "+15550100000"],
    [" +44 7700 900123 ", "+447700900123"],
    ["+44 (0) 7700 900123", "+447700900123"],
    ["+49.151.12345678", "+4915112345678"],
  ])("%j is %s", (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
    expect(parsePhoneNumber(number)).toBe(number);
  });

  test.each([
    "",
    "+",
    "+1",
    "15550100",
    "0044 7700 900123",
    "+9991234567",
    "+0123456789",
    "+1555010012345678",
    "+15555550100 ext 5",
    "+15550100;ext=5",
    "tel:+15550100",
    "+1555FLOWERS",
    "call +15550100",
    "+15550100\r\nX: 1",
    "+٤٤٧٧٠٠٩٠٠٠٠٠",
    `+1${" ".repeat(40)}5550100`,
  ])("%j is rejected", (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined();
  });

  test("is E.164 or undefined for any text, and parsing the result changes nothing", () => {
    const digits = fc.stringMatching(/^\+?[\d ().-]{0,25}$/);
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (text) => {
        const number = parsePhoneNumber(text);
        if (number === undefined) return;
        expect(number).toMatch(/^\+[1-9]\d{6,14}$/);
        expect(parsePhoneNumber(number)).toBe(number);
      }),
    );
  });
});

describe("a sender", () => {
  test.each([
    ["+44 7700 900123", { kind: "number", value: "+447700900123" }],
    ["80808", { kind: "shortCode", value: "80808" }],
    ["Acme Bank", { kind: "alphanumeric", value: "Acme Bank" }],
    ["4ever", { kind: "alphanumeric", value: "4ever" }],
    ["abcdefghijk", { kind: "alphanumeric", value: "abcdefghijk" }],
  ])("accepts the sender %j", (text, sender) => {
    expect(parseSmsSender(text)).toEqual(sender);
  });

  test.each(["", "12", "123456789", "abcdefghijkl", "Acme!", "A\nB", "Ünder", "+44"])(
    "rejects the sender %j",
    (text) => {
      expect(parseSmsSender(text)).toBeUndefined();
    },
  );
});

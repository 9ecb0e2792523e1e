import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CriterionName } from "./criteria.ts";
import { differenceOf } from "./near-miss.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

describe("differenceOf", () => {
  test.each<[CriterionName, string, string[], string | null]>([
    ["sentTo", "ada@one.example", ["ada@two.example"], "differs only in its domain"],
    ["sentTo", "ada+1@one.example", ["Ada+2@one.example"], "differs only after the + of its local part"],
    ["sentTo", "adda@one.example", ["ada@one.example"], "differs in 1 character"],
    ["sentTo", "ada", ["ada@one.example"], "whole addresses are compared, not parts of them"],
    [
      "sentTo",
      "Ada <ada@one.example>",
      ["ada@one.example"],
      "whole addresses are compared: search for the address without a name",
    ],
    ["sentTo", "grace.hopper@one.example", ["ada@one.example"], "differs only in its local part"],
    ["sentTo", "07911123456", ["+4407911123456"], "differs only in its country code"],
    ["sentTo", "ada@one.example", ["x@other.example", "ada@one.test"], "differs only in its domain"],
    ["sentFrom", "ada@one.example", [], "the message has none"],
    ["subject", "Your  code", ["Your code is 1"], "differs only in white space"],
    ["subject", "cafe", ["Café-Newsletter"], "differs only in accents, punctuation or white space"],
    ["subject", "Welcome", ["Wellcome to it"], "differs in 1 character"],
    ["subject", "Welcome", ["Invoice"], null],
    ["subject", "Your code", ["Acme verification code"], null],
    ["tag", "Signup", ["signup"], "differs only in letter case"],
  ])("%s %j compared with %j: %s", (...[name, expected, actual, hint]) => {
    expect(differenceOf(name, expected, actual).hint).toBe(hint);
  });

  test("returns a distance from 0 to 1 for any values", () => {
    const names = fc.constantFrom<CriterionName>("sentTo", "subject", "body", "tag");
    const text = fc.oneof(fc.string({ unit: codePoint }), fc.emailAddress(), fc.string({ maxLength: 2000 }));
    fc.assert(
      fc.property(names, text, fc.array(text, { maxLength: 12 }), (name, expected, actual) => {
        const { distance } = differenceOf(name, expected, actual);
        expect(distance).toBeGreaterThanOrEqual(0);
        expect(distance).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });
});

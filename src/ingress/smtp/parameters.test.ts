import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ParameterRule, readParameters } from "./path.ts";

const rules = new Map<string, ParameterRule>([
  ["FLAG", (value) => value === undefined],
  ["NUMBER", (value) => /^\d+$/.test(value ?? "")],
  ["ANY", () => true],
]);

function read(text: string): Record<string, string> | number {
  const result = readParameters(text, rules);
  return "wire" in result ? result.code : Object.fromEntries(result);
}

describe("readParameters", () => {
  test.each([
    ["", {}],
    ["  \t ", {}],
    [" flag", { FLAG: "" }],
    [" Number=12\tFLAG ", { NUMBER: "12", FLAG: "" }],
    ["ANY=a=b", { ANY: "a=b" }],
    ["ANY=", { ANY: "" }],
    ["FLAG=x", 501],
    ["NUMBER", 501],
    ["NUMBER=1 number=2", { NUMBER: "2" }],
    ["=1", 501],
    ["-X=1", 501],
    ["A_B", 501],
    ["OTHER", 555],
    ["OTHER=1", 555],
    ["__proto__=1", 501],
    ["constructor=1", 555],
  ])("parses %j as %o", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("returns parameters or a reply for any text", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const result = read(Buffer.from(bytes).toString("latin1"));
        expect([501, 555, "object"]).toContain(typeof result === "object" ? "object" : result);
      }),
    );
  });
});

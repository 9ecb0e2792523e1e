import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withBytesAsBase64 } from "./byte-arrays.ts";

const rewritten = (json: string): string => Buffer.from(withBytesAsBase64(Buffer.from(json))).toString();
const long = (element: string, separator = ","): string =>
  `[${Array.from({ length: 256 }, () => element).join(separator)}]`;

describe("withBytesAsBase64", () => {
  test("replaces arrays of at least 256 bytes", () => {
    const base64 = JSON.stringify(Buffer.alloc(256, 7).toString("base64"));
    expect(rewritten(`{"a":${long("7")},"b":[${long("7", " ,\n\t")},1]}`)).toBe(`{"a":${base64},"b":[${base64},1]}`);
    expect(rewritten(long("7").replace("7,", ""))).toBe(long("7").replace("7,", ""));
  });

  test.each([
    ["a number above 255", long("256")],
    ["a negative number", long("-1")],
    ["a fraction", long("1.5")],
    ["two numbers without a comma", long("1 2")],
    ["a leading zero", long("01")],
    ["an empty element", long("1").replace("1,", ",")],
    ["a string", JSON.stringify(long("1"))],
    ["a string with an escaped quotation mark", JSON.stringify(`"${long("1")}`)],
    ["no end", long("1").slice(0, -1)],
  ])("leaves %s as it is", (_, json) => {
    expect(rewritten(json)).toBe(json);
  });

  test("keeps the meaning of any JSON, with base64 for the bytes", () => {
    const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 600, size: "max" });
    const replace = (_: string, value: unknown): unknown =>
      Array.isArray(value) && value.length >= 256 ? Buffer.from(value as number[]).toString("base64") : value;
    fc.assert(
      fc.property(fc.array(fc.oneof(bytes, fc.string())), (values) => {
        expect(JSON.parse(rewritten(JSON.stringify(values)))).toEqual(values.map((value) => replace("", value)));
      }),
    );
  });

  test("returns any bytes without long arrays as they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(withBytesAsBase64(bytes)).toEqual(bytes);
      }),
    );
  });
});

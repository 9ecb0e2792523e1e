import { describe, expect, test } from "vitest";
import { bodyNameBytesMax, formFieldCountMax } from "./body-limits.ts";
import { Problem } from "./errors.ts";
import { readForm } from "./read-form.ts";

describe("readForm", () => {
  test("returns the fields in order, of bytes and of text", () => {
    const fields = [
      ["a", "1 2"],
      ["b", "€&"],
      ["a", ""],
    ];
    const text = "a=1+2&b=%E2%82%AC%26&a";
    expect(readForm(text)).toEqual(fields);
    expect(readForm(Buffer.from(`x${text}`).subarray(1))).toEqual(fields);
    expect(readForm("")).toEqual([]);
  });

  test("accepts formFieldCountMax fields and no more", () => {
    const form = (count: number): string => "a&".repeat(count - 1) + "a";
    expect(readForm(form(formFieldCountMax))).toHaveLength(formFieldCountMax);
    const more = (): unknown => readForm(form(formFieldCountMax + 1));
    expect(more).toThrow(new Problem("body_too_large", { text: "The form has more than 10000 fields" }));
  });

  test("accepts names of bodyNameBytesMax characters and no longer; values may be of any length", () => {
    const field = (length: number): string => `${"n".repeat(length)}=${"v".repeat(2 * bodyNameBytesMax)}`;
    expect(readForm(field(bodyNameBytesMax))).toHaveLength(1);
    expect(() => readForm(field(bodyNameBytesMax + 1))).toThrow("The name of a form field is longer");
  });
});

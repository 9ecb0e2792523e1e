import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attachmentDisposition } from "./file-response.ts";

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

describe("attachmentDisposition", () => {
  test.each([
    ["cat.png", 'attachment; filename="cat.png"'],
    ["my cat (1).png", 'attachment; filename="my cat (1).png"'],
    ["", "attachment"],
    ["Resources/dog.png", 'attachment; filename="Resources_dog.png"'],
    ["..\\..\\evil.exe", 'attachment; filename=".._.._evil.exe"'],
    ['a"b.txt', 'attachment; filename="a_b.txt"'],
    ["a\r\nSet-Cookie: x", 'attachment; filename="a__Set-Cookie_ x"'],
    ["naïve.txt", "attachment; filename=\"na_ve.txt\"; filename*=UTF-8''na%C3%AFve.txt"],
    ["€ (50%).txt", "attachment; filename=\"_ (50_).txt\"; filename*=UTF-8''%E2%82%AC%20%2850%25%29.txt"],
    ["\u202egpj.exe", 'attachment; filename="_gpj.exe"'],
  ])("encodes %j", (name, field) => {
    expect(attachmentDisposition(name)).toBe(field);
  });

  test("cuts a name at 200 characters, never within one", () => {
    expect(attachmentDisposition("👍".repeat(500))).toContain(`UTF-8''${encodeURIComponent("👍".repeat(200))}`);
    expect(attachmentDisposition("a".repeat(201))).toBe(`attachment; filename="${"a".repeat(200)}"`);
  });

  test("returns a well-formed header field for any name", () => {
    const form = /^attachment(?:; filename="[\w !#$&+.^`~()-]+"(?:; filename\*=UTF-8''(?:[\w.!~-]|%[\dA-F]{2})+)?)?$/;
    fc.assert(
      fc.property(fc.string({ unit }), (name) => {
        expect(attachmentDisposition(name)).toMatch(form);
      }),
    );
  });
});

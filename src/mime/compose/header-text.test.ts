import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { decodeEncodedWords } from "../encoded-word.ts";
import {
  contentIdText,
  displayText,
  encodeUnstructured,
  leafContentType,
  singleLine,
  textAsHtml,
  usableMessageIds,
} from "./header-text.ts";

/** Any UTF-16 code units, including lone surrogates. */
const anyText = fc.array(fc.nat({ max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units));

describe("unstructured text", () => {
  test.each(["Hello", 'a: b; c <d@e> "f" 50%', "two  blanks"])("%j is not encoded", (text) => {
    expect(encodeUnstructured(text)).toBe(text);
  });

  test("decodes to the original on one line, in words of at most 75 characters", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const written = encodeUnstructured(text);
        expect(written).toMatch(/^[ -~]*$/);
        expect(decodeEncodedWords(written)).toBe(singleLine(text));
        const encoded = written.match(/=\?UTF-8\?B\?[^?]*\?=/g) ?? [];
        for (const word of encoded) expect(word.length).toBeLessThanOrEqual(75);
      }),
      { numRuns: 300 },
    );
  });

  test("is encoded when it looks like an encoded word", () => {
    expect(decodeEncodedWords(encodeUnstructured("=?utf-8?q?x?="))).toBe("=?utf-8?q?x?=");
    expect(decodeEncodedWords(displayText("=?utf-8?q?x?="))).toBe("= ?utf-8?q?x?=");
  });

  test("breaks words of more than 500 characters", () => {
    expect(encodeUnstructured("x".repeat(500))).toBe("x".repeat(500));
    expect(encodeUnstructured("x".repeat(501))).toMatch(/^=\?UTF-8/);
  });

  test.each(["=?", "\r\n", "é"])("takes time linear in its length: %j", (unit) => {
    expectLinearCpu((size) => void encodeUnstructured(unit.repeat(size)), 20_000);
  });
});

describe("a content type", () => {
  test.each([
    ["image/png", "image/png"],
    ["Image/PNG", "image/png"],
    ['text/plain; charset=utf-8; format="flowed"', 'text/plain; charset=utf-8; format="flowed"'],
    ["application/vnd.ms-excel.sheet.macroEnabled.12", "application/vnd.ms-excel.sheet.macroenabled.12"],
    ["text/plain;", "text/plain"],
  ])("%j is written as %j", (declared, expected) => {
    expect(leafContentType(declared)).toBe(expected);
  });

  test.each([
    "",
    "text",
    "text/",
    "/plain",
    "multipart/mixed",
    "MULTIPART/x; boundary=b",
    "a/b\r\nX: y",
    'a/b; c="d\ne"',
    "a b/c",
    `a/${"b".repeat(128)}`,
  ])("%j becomes application/octet-stream", (declared) => {
    expect(leafContentType(declared)).toBe("application/octet-stream");
  });

  test.each(["; ", '; a="', " "])("is parsed in time linear in its length: %j", (unit) => {
    expectLinearCpu((size) => void leafContentType(`a/b${unit.repeat(size)}x`), 100_000);
  });
});

test("contentIdText keeps printable ASCII without brackets, at most 250 characters", () => {
  expect(contentIdText("<a@b>\r\nX: y")).toBe("a@bX:y");
  expect(contentIdText(" <>\u0000ü")).toBeNull();
  expect(contentIdText("x".repeat(300))).toHaveLength(250);
});

test("usableMessageIds omits invalid ids", () => {
  const usable = ["<a@b>", `<${"x".repeat(248)}>`];
  expect(
    usableMessageIds([...usable, "a@b", "<a b>", "<a\r\n@b>", "<>", "<ü@b>", "<a>b>", `<${"x".repeat(249)}>`]),
  ).toEqual(usable);
});

test("textAsHtml escapes markup and keeps line breaks", () => {
  expect(textAsHtml('<a href="x">&\r\nb\rc')).toBe("&lt;a href=&quot;x&quot;&gt;&amp;<br>\r\nb<br>\r\nc");
});

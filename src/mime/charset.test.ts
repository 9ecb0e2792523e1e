import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCharset, decodeUnlabelled } from "./charset.ts";

const decode = (label: string | null, bytes: string): string => decodeCharset(Buffer.from(bytes, "latin1"), label);

describe("decodeCharset", () => {
  it.each([
    ["UTF-8", "\u00c3\u00bc", "ü"],
    [" utf8 ", "\u00c3\u00bc", "ü"],
    ["iso-8859-1", "\u0093", "“"],
    ["cp437", "\u0081", "ü"],
    ["utf-7", "+AOk-", "é"],
    ["utf7", "1 +- 1 +AOkA6Q.x+2D3eAA--y +", "1 + 1 éé.x😀-y "],
    ["utf-7", "+ZeVnLIqe", "日本語"],
    ["utf-16", "\u00fe\u00ff\0a", "a"],
    ["utf-16", "\u00ff\u00fea\0", "a"],
    ["hz-gb-2312", "~{Dc:C~}~~~\nx", "你好~x"],
    ["hz-gb-2312", "~{Dc\nDc", "你\nDc"],
    ["hz-gb-2312", "~{!~~}x", "〓x"],
    ["iso-2022-kr", "\u001b$)C\u000e0!\u000fa\n0!", "가a\n0!"],
    ["iso-2022-jp-ms", "\u001b$BF|\u001b(B", "日"],
    ["cp949", "\u00b0\u00a1", "가"],
    ["us-ascii", "\u00c3\u00bc", "ü"],
    ["us-ascii", "\u00fc", "ü"],
    ["x-unheard-of", "\u00c3\u00bc", "ü"],
    ["x-unheard-of", "\u00fc", "ü"],
    ["utf-8", "Gr\u00fc\u00dfe, m\u00fcde", "Grüße, müde"],
    ["utf-8", "\u0093x\u0094 ", "“x” "],
    ["utf-8", "\u00c3\u00bc and \u00fc", "ü and \ufffd"],
    ["utf-8", "cut \u00e2\u0082", "cut \ufffd"],
    ["iso-8859-1", "\u00c3\u00bc", "Ã¼"],
    ["iso-2022-jp", "\u001b$BF|\u001b(B\u001b$BK\\\u001b(B", "日本"],
    ["csiso2022jp", "\u001b(B\u001b$BF|\u001b(J\u001b(Ba", "日a"],
    ["base64", "YWJj", "YWJj"],
    ["b-a-s-e-64", "YWJj", "YWJj"],
    ["i-b-m-437", "\u0081", "ü"],
    ["hex", "6162", "6162"],
    ["iso-2022-cn", "abc", "abc"],
    ["", "abc", "abc"],
    [null, "\u00c3\u00bc", "ü"],
  ])("decodes %s bytes %j as %j", (label, bytes, expected) => {
    expect(decode(label, bytes)).toBe(expected);
  });

  it("replaces malformed sequences and removes a byte order mark", () => {
    expect(decode("utf-8", "\u00c3\u00bca\u00ffb")).toBe("üa\ufffdb");
    expect(decode("utf-8", "\u00ef\u00bb\u00bfa")).toBe("a");
  });

  it("never throws and returns well-formed Unicode for any label and bytes", () => {
    const label = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "hz",
        "iso-2022-kr",
        "utf-7",
        "utf-7-imap",
        "utf-16",
        "utf-32",
        "cp437",
        "iso-2022-jp",
        "gb18030",
        "big5hkscs",
        "binary",
        "ucs2",
        "__proto__",
        "constructor",
      ),
    );
    fc.assert(
      fc.property(label, fc.uint8Array({ maxLength: 60 }), (name, bytes) => {
        expect(decodeCharset(Buffer.from(bytes), name).isWellFormed()).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("decodes unlabelled bytes as UTF-8 only when they are valid", () => {
    expect(decodeUnlabelled(Buffer.from("ü", "utf8"))).toBe("ü");
    expect(decodeUnlabelled(Buffer.from([0xc3, 0xbc, 0xfc]))).toBe("Ã¼ü");
  });
});

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
    ["_iso-2022-jp$ESC", "\u001b$BF|\u001b(B", "日"],
    ["_iso-2022-jp$SIO", "\u001b$BF|\u001b(B\u000e1\u000f \u00b1", "日ｱ ｱ"],
    ["iso-2022-jp-2", "\u001b$AA\u001b(Ba", "\ufffda"],
    ["iso-2022-cn", "\u001b$)A\u000eDc:C\u000f ok", "你好 ok"],
    ["us-ascii", "\u001b$BF|\u001b(B", "日"],
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

  it.each([
    ["\u00c3\u00bc", "ü"],
    ["\u00fc", "ü"],
    ["\u00c3\u00bc\u00fc", "ü\ufffd"],
    ["Zo\u00c3\u00ab \u00ff M\u00c3\u00bcller", "Zoë \ufffd Müller"],
    ["\u00e6\u0097\u00a5\u00e6\u009c\u00ac\u00e8\u00aa", "日本\ufffd"],
    ["d\u00e9j\u00e0 vu \u00c3\u00a9", "déjà vu Ã©"],
    ["\u001b$B$3$l\u001b(B ok", "これ ok"],
    ["\u001b$(D0!\u001b(B\u001b(I1\u001b(B", "丂ｱ"],
    ["\u001b$)C\u000e0!\u000f ok", "가 ok"],
    ["\u001b[31mred\u001b[0m costs $B", "\u001b[31mred\u001b[0m costs $B"],
  ])("decodes unlabelled %j as %j", (bytes, expected) => {
    expect(decodeUnlabelled(Buffer.from(bytes, "latin1"))).toBe(expected);
  });

  it.each([
    ["big5", "adbbb4e4af53a74fa6e6ac46b0cfac46a9b2a440afb8b371a141c577aaefa5fac17b"],
    ["shift_jis", "82b182ea82cd93fa967b8cea82cc83658358836782c582b78142928d95b682f08a6d944682b582c482ad82be82b382a2"],
    ["euc-kr", "bec8b3e7c7cfbcbcbfe420c1d6b9ae20b9f8c8a3b4c220b4d9c0bdb0fa20b0b0bdc0b4cfb4d9"],
    ["gb18030", "c4fabac3a3acc4fab5c4d1e9d6a4c2ebcac7a3acc7ebd4dacaaeb7d6d6d3c4dacab9d3c3"],
    ["koi8-r", "fac4d2c1d7d3d4d7d5cad4c52c20d7c1db20cbcfc420d0cfc4d4d7c5d2d6c4c5cec9d1"],
    ["windows-1251", "c7e4f0e0e2f1f2e2f3e9f2e52c20e2e0f820eaeee420efeee4f2e2e5f0e6e4e5ede8ff"],
    ["iso-8859-1", "4772fcdf652c2064e96ae02076752c206e61ef7665206661e761646520a9"],
    ["iso-8859-7", "cae1ebe7ecddf1e12c20ef20eaf9e4e9eafcf220f3e1f2"],
  ])("does not take a text in %s for UTF-8 when it has no label", (_, hex) => {
    const bytes = Buffer.from(hex, "hex");
    expect(decodeUnlabelled(bytes)).toBe(decodeCharset(bytes, "windows-1252"));
  });
});

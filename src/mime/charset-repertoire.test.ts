import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { decodeCharset, isKnownCharset } from "./charset.ts";
import { repertoireBytes, wholeUnicode, type RepertoireForm } from "./charset-repertoire.test-aid.ts";

/**
 * Form, SHA-256 of the text of its repertoire (first half) and labels of each charset of the Encoding standard, as
 * `node scripts/charset-repertoires.ts <folder>` prints them from the index files of the standard.
 */
const charsets: readonly (readonly [form: RepertoireForm, hash: string, labels: string])[] = [
  ["single", "7ffc596cb77902c54b0e9dc3553a7d89", "866 cp866 csibm866 ibm866"],
  [
    "single",
    "64a2f39a5149e90dbadc326d69e22ce6",
    "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
  ],
  [
    "single",
    "3a1718ae7743efaf75e92fb7cc622131",
    "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
  ],
  [
    "single",
    "f1797db4019385e3c6c559e18347d9c9",
    "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
  ],
  [
    "single",
    "8ad41a95d05e78fdb3f4af79e0a3c8aa",
    "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
  ],
  [
    "single",
    "21b32820c3e53060790190ed62221510",
    "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
  ],
  [
    "single",
    "8f9051bbaae5a9449b407632b763b937",
    "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
  ],
  [
    "single",
    "2ab70f50bb89f9a2406834b005c3304d",
    "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual",
  ],
  ["single", "2ab70f50bb89f9a2406834b005c3304d", "csiso88598i iso-8859-8-i logical"],
  ["single", "a8e24330345e443765255dee9b31c6cf", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"],
  ["single", "1374ef1d62d822302ce80f4a7fe0151b", "iso-8859-13 iso8859-13 iso885913"],
  ["single", "c7fa312fa4a2548518bcf5c957900f6c", "iso-8859-14 iso8859-14 iso885914"],
  ["single", "edac8b0995c246a46293bcc5138dd4f4", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"],
  ["single", "2db1a0d11369bd6239cba9e7e5461ba5", "iso-8859-16"],
  ["single", "f218618f4b7487d276ff84046cc61c2c", "cskoi8r koi koi8 koi8-r koi8_r"],
  ["single", "986308ea82e552b76ff0898859f9fdfa", "koi8-ru koi8-u"],
  ["single", "d2a4c868abe68fcee9edccbae6eb15f7", "csmacintosh mac macintosh x-mac-roman"],
  ["single", "ed153f6f715356c2e35bb9a137403a15", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"],
  ["single", "33cb778f9cc2120ae353866ead6611c7", "cp1250 windows-1250 x-cp1250"],
  ["single", "1cceffb51f96eac1d5cdba3ef07fc97f", "cp1251 windows-1251 x-cp1251"],
  [
    "single",
    "2afd1267025813bef440687a82793f91",
    "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
  ],
  ["single", "a94233bc0ee21244c82da87b5da82ae4", "cp1253 windows-1253 x-cp1253"],
  [
    "single",
    "4463fdde230168767907bce1504a15f7",
    "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
  ],
  ["single", "006f929c1ac9b559b5f880146ed5882d", "cp1255 windows-1255 x-cp1255"],
  ["single", "56ff3c6d002bdeddd0aacd92e4bb164c", "cp1256 windows-1256 x-cp1256"],
  ["single", "1fb600d7c78d1c92990372ccb13965fd", "cp1257 windows-1257 x-cp1257"],
  ["single", "46d65c5c252e30fe50301d18fb023c28", "cp1258 windows-1258 x-cp1258"],
  ["single", "fb5cd9f7e27be9f48cba28376cc55ca8", "x-mac-cyrillic x-mac-ukrainian"],
  [
    "gb18030",
    "b9d8583d5a59b06483239bd884f6b0dc",
    "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
  ],
  ["gb18030", "b9d8583d5a59b06483239bd884f6b0dc", "gb18030"],
  ["big5", "a480b91e471b817b025c728b1fd500f5", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"],
  ["euc-jp", "f3a5a3897900fbc59e7a5ab8be24bfa8", "cseucpkdfmtjapanese euc-jp x-euc-jp"],
  ["iso-2022-jp", "e9b32c8153108ed939322a17d7724e51", "csiso2022jp iso-2022-jp"],
  [
    "shift_jis",
    "ed3c8cca6b2bb4ea939076a7c092eafd",
    "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
  ],
  [
    "euc-kr",
    "f05394fd2195e9c332038576ed4935d0",
    "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
  ],
  ["single", "e7fff2203522b55fc6edd36738b02890", "x-user-defined"],
];

/** Other spellings in mail, by a label of the standard that means the same. */
const otherLabels: readonly (readonly [label: string, others: string])[] = [
  ["euc-kr", "cp949 ms949 uhc windows949 x-windows-949 EUC_KR KSC_5601 KS_X_1001"],
  ["gbk", "cp936 ms936 windows-936 EUC-CN x-euc-cn"],
  ["big5", "cp950 ms950 windows-950 big5hkscs Big5_HKSCS big5-eten"],
  ["shift_jis", "cp932 windows-932 Shift-JIS shiftjis x-ms-cp932"],
  ["euc-jp", "eucjp EUC_JP eucJP-ms cp51932"],
  ["iso-2022-jp", "ISO2022JP iso_2022-jp"],
  ["windows-1251", "windows1251 win-1251 cp-1251 ansi-1251"],
  ["iso-8859-2", "iso8859_2 ISO_8859_2"],
  ["windows-1252", "ISO8859_1 win1252"],
  ["koi8-r", "koi8r cp20866"],
];

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

const repertoires = new Map<RepertoireForm, Buffer>();
const repertoire = (form: RepertoireForm): Buffer => {
  const bytes = repertoires.get(form) ?? repertoireBytes(form);
  repertoires.set(form, bytes);
  return bytes;
};

describe("the repertoire of the Encoding standard", () => {
  it.each(charsets)("is decoded whole, form %s, hash %s, under %s", (form, hash, labels) => {
    const bytes = repertoire(form);
    const wrong = labels.split(" ").filter((label) => hashOf(decodeCharset(bytes, label)) !== hash);
    expect(wrong).toEqual([]);
  });

  it.each(otherLabels)("%s is decoded under other labels: %s", (label, others) => {
    const charset = charsets.find(([, , labels]) => labels.split(" ").includes(label));
    const [form = "single", hash] = charset ?? [];
    const wrong = others.split(" ").filter((other) => hashOf(decodeCharset(repertoire(form), other)) !== hash);
    expect(wrong).toEqual([]);
  });

  it("includes all of Unicode in UTF-8 and UTF-16", () => {
    const text = wholeUnicode();
    const bytes = {
      utf8: Buffer.from(text, "utf8"),
      utf16le: Buffer.from(text, "utf16le"),
      utf16be: Buffer.from(text, "utf16le").swap16(),
    };
    const labels = {
      utf8: "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 UTF_8 cp65001",
      utf16le: "unicodefeff utf-16le",
      utf16be: "unicodefffe utf-16be",
    };
    const encodings = ["utf8", "utf16le", "utf16be"] as const;
    const wrong = encodings.flatMap((name) =>
      labels[name].split(" ").filter((label) => decodeCharset(bytes[name], label) !== text),
    );
    expect(wrong).toEqual([]);
  });
});

/** Labels that the standard maps to "replacement", with text as mail has it. */
test("charsets that the standard replaces are decoded, the rest of their repertoire by the tables of the standard", () => {
  const korean = Array.from({ length: 94 * 94 }, (_, index) => [Math.floor(index / 94) + 0x21, (index % 94) + 0x21]);
  const eightBit = Buffer.from(korean.flatMap(([lead = 0, trail = 0]) => [lead | 0x80, trail | 0x80, 0x0a]));
  const shifted = (before: string, open: string, close: string): Buffer =>
    Buffer.concat([
      Buffer.from(before, "latin1"),
      ...korean.map((pair) => Buffer.from(`${open}${String.fromCodePoint(...pair)}${close}\n`, "latin1")),
    ]);
  const kr = shifted("\u001b$)C", "\u000e", "\u000f");
  const cn = shifted("", "\u001b$)A\u000e", "\u000f");
  const jp = shifted("", "\u001b$(B", "\u001b(B");
  expect(decodeCharset(kr, "iso-2022-kr")).toBe(decodeCharset(eightBit, "euc-kr"));
  expect(decodeCharset(kr, "csiso2022kr")).toBe(decodeCharset(eightBit, "euc-kr"));
  expect(decodeCharset(kr, null)).toBe(decodeCharset(eightBit, "euc-kr"));
  expect(decodeCharset(cn, "iso-2022-cn")).toBe(decodeCharset(eightBit, "gb18030"));
  expect(decodeCharset(cn, "iso-2022-cn-ext")).toBe(decodeCharset(eightBit, "gb18030"));
  expect(decodeCharset(jp, "_iso-2022-jp$ESC")).toBe(decodeCharset(eightBit, "euc-jp"));
  expect(decodeCharset(jp, null)).toBe(decodeCharset(eightBit, "euc-jp"));
});

test("every charset of the standard and of mail is known, others are not", () => {
  const labels = charsets.flatMap(([, , names]) => names.split(" "));
  expect(labels.filter((label) => !isKnownCharset(label))).toEqual([]);
  const unknown = ["x-unheard-of", "base64", "hex", "replacement", "utf-8x", "windows-1259", "iso-8859-17", "en_US"];
  expect(unknown.filter((label) => isKnownCharset(label))).toEqual([]);
});

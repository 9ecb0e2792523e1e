import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Length, decodeBase64 } from "./base64.ts";
import { decodeQuotedPrintable, decodeQuotedPrintableText, quotedPrintableLength } from "./quoted-printable.ts";
import { decodeUuencode } from "./body-content.ts";

type Decode = (raw: Buffer, start: number, end: number) => Buffer;

/** Decodes `text` from the middle of a larger buffer. */
function decode(decoder: Decode, text: string): string {
  const raw = Buffer.concat([Buffer.from("=AA="), Buffer.from(text, "latin1"), Buffer.from("41=\r\n QUJD")]);
  return decoder(raw, 4, raw.length - 10).toString("latin1");
}

describe("base64", () => {
  it.each([
    ["padding", "aGVsbG8=", "hello"],
    ["no padding", "aGVsbG8", "hello"],
    ["line ends", "aGVs\r\nbG8=\r\n", "hello"],
    ["foreign bytes", "a!G\0V-s_b\u00e9G8=", "hello"],
    ["a footer behind the padding", "aGVsbG8=\r\n\r\n_____\r\nList footer\r\n", "hello"],
    ["more behind double padding", "YQ==Yg==", "a"],
    ["more behind the padding of a long text", `${"QUJD".repeat(30_000)}QQ==\r\nQUJD`, `${"ABC".repeat(30_000)}A`],
    [
      "more behind padding where the decoder's chunk ends",
      `${"QUJD".repeat(16_383)}QQ==QUJD`,
      `${"ABC".repeat(16_383)}A`,
    ],
    ["an equals sign where no padding can be", "QUJD=QUJD=Q=UI=", "ABCABCAB"],
    ["a lone character", "aGVsb", "hel"],
    ["padding only", "====", ""],
    ["nothing", "", ""],
  ])("decodes %s", (_what, text, expected) => {
    expect(decode(decodeBase64, text)).toBe(expected);
  });

  it("returns all bytes and the decoded length at any line length", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 200 }),
        (unit, width, repeats) => {
          const bytes = Buffer.concat(Array.from({ length: repeats }, () => unit));
          const raw = Buffer.from(
            (bytes.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\r\n"),
          );
          expect(decodeBase64(raw, 0, raw.length).equals(bytes)).toBe(true);
          expect(base64Length(raw, 0, raw.length)).toBe(bytes.length);
        },
      ),
    );
  });
});

describe("quoted-printable", () => {
  it("gives the same result for short and long input", () => {
    // The tokens are on both sides of 64 KiB, a likely size of chunks.
    const much = "x".repeat(64 * 1024 - 4);
    const most = "x".repeat(300_000);
    expect(decode(decodeQuotedPrintable, most)).toBe(most);
    const token = fc.constantFrom(
      "=",
      "=3D",
      "=c3",
      "=4",
      " ",
      "\t",
      "\r",
      "\n",
      "\r\n",
      "=\r\n",
      "= \n",
      "a",
      "\u00e9",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const text = tokens.join("");
        const short = decode(decodeQuotedPrintable, `x${text}`);
        expect(decode(decodeQuotedPrintable, much + text)).toBe(much.slice(1) + short);
        expect(quotedPrintableLength(Buffer.from(`x${text}`, "latin1"), 0, text.length + 1)).toBe(short.length);
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with its definition for any sequence of escapes, blanks, line ends and text", () => {
    const token = fc.oneof(
      fc.constantFrom("=", "=3D", "=c3", "=20", "=0D", "=0A", "=\r\n", "= \t\n", " ", "\t", "\r", "\n", "\r\n"),
      fc.constantFrom("a", "F", "0", "\0", "\u000b", "\u00e9", "some words"),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
        const text = tokens.join("");
        const expected = decodedByDefinition(text);
        expect(decode(decodeQuotedPrintable, text)).toBe(expected);
        const decodedText = decode(decodeQuotedPrintableText, text);
        expect(decodedText.replaceAll(/\r\n?/g, "\n")).toBe(expected.replaceAll(/\r\n?/g, "\n"));
        expect(decodedText).not.toMatch(/(?<!\r)\r\n/);
        expect(quotedPrintableLength(Buffer.from(text, "latin1"), 0, text.length)).toBe(expected.length);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["escapes", "a=3Db=0D=0A", "a=b\r\n"],
    ["lower-case escapes", "=c3=bc", "\u00c3\u00bc"],
    ["soft line breaks", "a=\r\nb=\nc", "abc"],
    ["soft line breaks with blanks", "a= \t\r\nb", "ab"],
    ["a soft line break of CR alone", "a=\rb", "ab"],
    ["a soft line break at the end", "a=", "a"],
    ["a soft line break with blanks at the end", "a=  ", "a"],
    ["hard line breaks as they are", "a\r\nb\nc", "a\r\nb\nc"],
    ["blanks before a line break, which go", "a \t\r\nb \n c", "a\r\nb\n c"],
    ["blanks at the end, which go", "a \t", "a"],
    ["escaped blanks before a line break, which stay", "a=20\r\nb=09", "a \r\nb\t"],
    ["malformed escapes", "=zz=1=é= x", "=zz=1=é= x"],
    ["a cut escape", "a=4", "a=4"],
    ["blanks before a CR alone, which go", "a \t\rb", "a\rb"],
    ["a line of blanks after a soft line break, which go", "a =\r\n \t\r\nb", "a \r\nb"],
    ["an escape cut by a line end", "a=4\r\n1=\r\n=", "a=4\r\n1"],
    ["raw 8-bit", "\u00fc", "\u00fc"],
    ["nothing", "", ""],
  ])("decodes %s", (_what, text, expected) => {
    expect(decode(decodeQuotedPrintable, text)).toBe(expected);
  });

  it("returns its length without decoding", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "=", "3", "D", " ", "\t", "\r", "\n", "z"), maxLength: 60 });
    fc.assert(
      fc.property(text, (encoded) => {
        const raw = Buffer.from(encoded);
        expect(quotedPrintableLength(raw, 0, raw.length)).toBe(decodeQuotedPrintable(raw, 0, raw.length).length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("uuencode", () => {
  it.each([
    ["a file", "begin 644 a\r\n#0V%T\r\n`\r\nend\r\n", "Cat"],
    ["text before the file", "see:\nbegin 644 a\n#0V%T\nend\n", "Cat"],
    ["no frame", "#0V%T\n", "Cat"],
    ["a line whose blanks were trimmed", "begin 644 a\n#0V%\n#\n#0V%T\nend\n", "Ca@\0\0\0Cat"],
    ["an empty line", "#0V%T\n\n#0V%T\n", "CatCat"],
    ["the first of two files", "begin 644 a\n#0V%T\nend\nbegin 644 b\n#0V%T\nend\n", "Cat"],
    ["blanks as zero", "#    \n", "\0\0\0"],
    ["nothing", "", ""],
  ])("decodes %s", (_what, text, expected) => {
    expect(decode(decodeUuencode, text)).toBe(expected);
  });

  it("adds at most as many bytes as the body has", () => {
    const raw = Buffer.from("_\n".repeat(1000));
    expect(decodeUuencode(raw, 0, raw.length).length).toBeLessThanOrEqual(2 * raw.length);
  });

  it("returns all bytes of a file whose lines lost their trailing blanks", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0, 0, 1, 255), { maxLength: 400 }), (values) => {
        const lines: string[] = [];
        for (let at = 0; at < values.length; at += 45) lines.push(uuencodedLine(values.slice(at, at + 45)).trimEnd());
        const raw = Buffer.from(`begin 644 ${"x".repeat(values.length)}\n${lines.join("\n")}\n\`\nend\n`);
        expect([...decodeUuencode(raw, 0, raw.length)]).toEqual(values);
      }),
    );
  });
});

/** Decodes quoted-printable as RFC 2045 §6.7 describes it: blanks before line ends first, then soft breaks and escapes. */
function decodedByDefinition(text: string): string {
  return text
    .replaceAll(/[\t ]+(?=[\r\n]|$)/g, "")
    .replaceAll(/=(?:([\da-f]{2})|\r\n|[\r\n]|$)/gi, (_match, digits: string | undefined) =>
      digits === undefined ? "" : String.fromCharCode(Number.parseInt(digits, 16)),
    );
}

/** Returns a line with trailing blanks for zeros, as old encoders write it. */
function uuencodedLine(values: readonly number[]): string {
  const characters = [String.fromCharCode(32 + values.length)];
  for (let at = 0; at < values.length; at += 3) {
    const group = ((values[at] ?? 0) << 16) | ((values[at + 1] ?? 0) << 8) | (values[at + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) characters.push(String.fromCharCode(32 + ((group >> shift) & 63)));
  }
  return characters.join("");
}

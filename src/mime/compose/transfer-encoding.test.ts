import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes, joinTexts } from "../body-content.ts";
import { parseMail } from "../parse-mail.ts";
import { composeMail } from "./compose.ts";
import {
  base64Lines,
  encodingOfText,
  identityEncoding,
  quotedPrintable,
  quotedPrintableLf,
} from "./transfer-encoding.ts";

const lines = (chunks: Iterable<Buffer>): string[] =>
  Buffer.concat([...chunks])
    .toString("latin1")
    .split("\r\n");
const unquoted = (text: string): string => {
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
};
const content = fc
  .array(
    fc.oneof(
      fc.constantFrom("\r\n", " ", "\t", "=", " \r\n", "\t\r\n", ".", "a", "é", "✓", "📨", "\0", "\u007f"),
      fc.constantFrom("x".repeat(75), "x".repeat(76), "é".repeat(40), "📨".repeat(20)),
    ),
    { maxLength: 60 },
  )
  .map((texts) => texts.join(""));

test("quotedPrintableLf keeps line feeds, in lines of at most 76 characters", () => {
  fc.assert(
    fc.property(content, (text) => {
      const given = text.replaceAll("\r\n", "\n");
      const written = lines(quotedPrintableLf(Buffer.from(given)));
      expect(unquoted(written.join("\r\n"))).toBe(given);
      expect(written.filter((line) => line.length > 76 || line.includes("\n"))).toEqual([]);
    }),
  );
});

describe("base64Lines", () => {
  // 193,800 bytes are one chunk.
  test.each([0, 1, 57, 58, 114, 193_799, 193_800, 193_801, 387_600])("writes %i bytes in full lines", (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 7) % 256);
    const written = lines(base64Lines(bytes));
    expect(written.slice(0, -1).every((line) => line.length === 76)).toBe(true);
    expect((written.at(-1) ?? "").length).toBeLessThanOrEqual(76);
    expect(written.at(-1) === "").toBe(size === 0);
    expect(Buffer.from(written.join(""), "base64").equals(bytes)).toBe(true);
  });
});

describe("quotedPrintable", () => {
  test("writes any text in lines of at most 76 characters, none of which ends in a blank or inside a character", () => {
    fc.assert(
      fc.property(content, (text) => {
        const written = lines(quotedPrintable(Buffer.from(text)));
        for (const line of written) {
          expect(line).toMatch(/^[\t -~]{0,76}$/);
          expect(line).not.toMatch(/[\t ]$/);
          expect(unquoted(line.replace(/=$/, ""))).not.toContain("\ufffd");
        }
        expect(unquoted(written.join("\r\n"))).toBe(text);
      }),
    );
  });

  test("joins chunks of content", () => {
    const text = "é ✓=\r\n".repeat(40_000);
    const written = lines(quotedPrintable(Buffer.from(text)));
    expect(Math.max(...written.map((line) => line.length))).toBeLessThanOrEqual(76);
    expect(unquoted(written.join("\r\n"))).toBe(text);
  });
});

describe("encodingOfText", () => {
  test.each([
    ["Hello\r\n", "7bit"],
    ["x".repeat(76), "7bit"],
    [`${"x".repeat(76)}\r\n${"y".repeat(76)}\r\n`, "7bit"],
    ["x".repeat(77), "quoted-printable"],
    ["1".repeat(77), "base64"],
    ["x\r\n".repeat(50_000), "quoted-printable"],
    ["Grüße", "quoted-printable"],
    ["Привет, world", "base64"],
    ["aa📨", "base64"],
    ["aaa📨", "quoted-printable"],
    ["a\0b", "quoted-printable"],
  ])("chooses for %j: %s", (text, encoding) => {
    expect(encodingOfText(Buffer.from(text), false)).toBe(encoding);
  });
});

describe("identityEncoding", () => {
  const line = "x".repeat(998);
  test.each([
    ["", "7bit"],
    ["Hello\r\n\r\n", "7bit"],
    [`${line}\r\n${line}`, "7bit"],
    ["Grüße\r\n", "8bit"],
    [`${line}x\r\n`, null],
    [`a\r\n${line}x`, null],
    [`${"short\r\n".repeat(300)}${line}\r\n`, "7bit"],
    [`${"short\r\n".repeat(300)}${line}x\r\n`, null],
    [`${line}x\r\n${"short\r\n".repeat(300)}`, null],
    ["é".repeat(500), null],
    ["a\0b", null],
    ["a\nb", null],
    ["\na\r\n", null],
    ["a\rb\r\n", null],
    ["a\r\r\n", null],
    ["a\r\n\r", null],
  ])("chooses for %j: %j", (text, encoding) => {
    expect(identityEncoding(Buffer.from(text))).toBe(encoding);
  });
});

test.each([
  ["short lines", "Grüße\nаб\n", "8bit"],
  ["long lines", `Grüße ${"x".repeat(998)}`, "quoted-printable"],
  ["ASCII", `${"x".repeat(500)}\n`, "7bit"],
])("a mail that needs not be relayed has %s as they are if RFC 5322 allows it", async (_, text, encoding) => {
  const raw = await composeMail({
    messageId: "<one@a.example>",
    date: 0,
    boundarySeed: "seed",
    subject: "Hello",
    text,
    html: `<p>${text}</p>`,
    from: { address: "a@a.example" },
    to: [{ address: "b@b.example" }],
    allows8bit: true,
  });
  const { textParts, htmlParts } = parseMail(raw, defaultLimits);
  expect(joinTexts(raw, textParts)).toBe(text);
  expect(joinTexts(raw, htmlParts)).toBe(`<p>${text}</p>`);
  const written = Buffer.from(raw).toString("latin1");
  expect(written.match(/(?<=^Content-Transfer-Encoding: ).*/gm)).toEqual([encoding, encoding]);
});

test("composing a large mail gives other work its turns and keeps the content", async () => {
  const file = Buffer.alloc(3_000_000, "0123456789");
  const text = "Grüße aus Köln \r\n".repeat(60_000);
  let turns = 0;
  let isComposed = false;
  const count = (): void => {
    turns += 1;
    if (!isComposed) setImmediate(count);
  };
  const mail = {
    messageId: "<one@a.example>",
    date: 0,
    boundarySeed: "seed",
    subject: "Large",
    text,
    html: null,
    from: { address: "a@a.example" },
    to: [{ address: "b@b.example" }],
    attachments: [{ fileName: "a.bin", contentType: "image/png", content: file }],
  };
  // The first mail loads nodemailer.
  await composeMail({ ...mail, text: "", attachments: [] });
  setImmediate(count);
  const raw = await composeMail(mail);
  isComposed = true;
  expect(turns).toBeGreaterThanOrEqual(15);
  const parsed = parseMail(raw, defaultLimits);
  expect(joinTexts(raw, parsed.textParts)).toBe(text.replaceAll("\r\n", "\n"));
  expect(parsed.attachments.map((part) => Buffer.from(decodeBytes(raw, part)).equals(file))).toEqual([true]);
});

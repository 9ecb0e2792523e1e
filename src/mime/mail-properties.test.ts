import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { parseAddressList } from "./address-list.ts";
import { base64Length, decodeBase64 } from "./base64.ts";
import { decodeBytes, decodedLength, decodeText, joinTexts } from "./body-content.ts";
import { decodeEncodedWords } from "./encoded-word.ts";
import { parseMail } from "./parse-mail.ts";
import type { Mail } from "./parse-mail.ts";
import type { Part } from "./part.ts";
import { quotedPrintableLength } from "./quoted-printable.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

/** Fragments of mail, so that random sequences of them reach deep into the parser. */
const fragments = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  " ",
  "\t",
  "--b",
  "--b--",
  "--bb",
  "\r\n--b\r\n",
  "\r\n--b--\r\n",
  ":",
  ";",
  "=",
  '"',
  "\\",
  "<",
  ">",
  "(",
  ")",
  ",",
  "@",
  "*0*=",
  "'",
  "From: ",
  "To: ",
  "Subject: ",
  "Date: Fri, 20 Nov 2026 10:42:07 +0000",
  "Content-Type: multipart/mixed; boundary=b\r\n",
  "Content-Type: multipart/alternative; boundary=bb\r\n",
  "Content-Type: text/html; charset=iso-2022-jp\r\n",
  "Content-Type: message/rfc822\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Transfer-Encoding: quoted-printable\r\n",
  "Content-Transfer-Encoding: x-uuencode\r\n",
  "Content-Disposition: attachment; filename*0*=utf-8''%e2%82",
  "Content-ID: <x>",
  "=?utf-8?Q?=C3?=",
  "=?iso-2022-jp?B?GyRC?=",
  "?=",
  "=3D",
  "=\r\n",
  "begin 644 x\r\n",
  "#0V%T",
];
const fragment = fc.oneof(
  fc.constantFrom(...fragments).map((text) => Buffer.from(text, "latin1")),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);
const beginnings = fc
  .constantFrom("", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n")
  .map((text) => Buffer.from(text));
const anyMail = fc
  .tuple(beginnings, fc.array(fragment, { maxLength: 60 }))
  .map(([beginning, fragments]) => Buffer.concat([beginning, ...fragments]));
const limits = { headerBytesMax: 300, headerCountMax: 8, partCountMax: 6, partDepthMax: 2 };

function allParts(part: Part): readonly Part[] {
  return [part, ...part.children.flatMap(allParts)];
}

function expectBounds(part: Part, within: Part): void {
  expect(part.headerStart).toBeGreaterThanOrEqual(within === part ? 0 : within.bodyStart);
  expect(part.headerEnd).toBeGreaterThanOrEqual(part.headerStart);
  expect(part.bodyStart).toBeGreaterThanOrEqual(part.headerEnd);
  expect(part.bodyEnd).toBeGreaterThanOrEqual(part.bodyStart);
  expect(part.bodyEnd).toBeLessThanOrEqual(within.bodyEnd);
}

function expectSound(raw: Buffer, mail: Mail): void {
  expect(mail.root.bodyEnd).toBeLessThanOrEqual(raw.length);
  for (const part of allParts(mail.root)) {
    expectBounds(part, part);
    for (const child of part.children) expectBounds(child, part);
    expect(decodedLength(raw, part)).toBe(decodeBytes(raw, part).length);
    expect(decodeText(raw, part)).not.toContain("\r");
  }
  const leaves = allParts(mail.root).filter((part) => part.children.length === 0);
  expect(new Set([...mail.textParts, ...mail.htmlParts, ...mail.attachments])).toEqual(new Set(leaves));
  expect(mail.attachments.every((part) => part.fileName !== null && part.fileName !== "")).toBe(true);
  expect(new Set(mail.defects).size).toBe(mail.defects.length);
}

describe("parsing arbitrary bytes", () => {
  it("never throws, keeps every offset within raw and sorts every leaf once", () => {
    fc.assert(
      fc.property(anyMail, (raw) => expectSound(raw, parseMail(raw, defaultLimits))),
      { numRuns: 3000 },
    );
  });

  it("respects very low limits", () => {
    fc.assert(
      fc.property(anyMail, (raw) => {
        const mail = parseMail(raw, limits);
        expectSound(raw, mail);
        expect(allParts(mail.root).length).toBeLessThanOrEqual(limits.partCountMax + 1);
        expect(Math.max(...allParts(mail.root).map(({ depth }) => depth))).toBeLessThanOrEqual(limits.partDepthMax);
        expect(mail.headers.length).toBeLessThanOrEqual(limits.headerCountMax);
      }),
      { numRuns: 2000 },
    );
  });

  it("does not modify raw or depend on its offset in memory", () => {
    fc.assert(
      fc.property(anyMail, (raw) => {
        const shifted = new Uint8Array(raw.length + 7).subarray(5, 5 + raw.length);
        shifted.set(raw);
        expect(parseMail(shifted, defaultLimits)).toEqual(parseMail(raw, defaultLimits));
        expect(Buffer.from(shifted).equals(raw)).toBe(true);
      }),
    );
  });

  it("counts decoded bytes exactly in long malformed base64 and quoted-printable", () => {
    const text = fc.string({
      unit: fc.constantFrom("A", "b", "9", "+", "/", "=", "-", "_", "\r\n", " ", "!", "=3D", "é"),
      maxLength: 300,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 900 }), (unit, repeats) => {
        const raw = Buffer.from(unit.repeat(repeats), "latin1");
        expect(base64Length(raw, 0, raw.length)).toBe(decodeBase64(raw, 0, raw.length).length);
        const part = {
          ...parseMail(Buffer.alloc(0), defaultLimits).root,
          bodyEnd: raw.length,
          transferEncoding: "quoted-printable",
        } as const;
        expect(quotedPrintableLength(raw, 0, raw.length)).toBe(decodeBytes(raw, part).length);
      }),
    );
  });
});

interface Leaf {
  readonly encoding: "7bit" | "8bit" | "binary" | "base64" | "quoted-printable";
  readonly bytes: Buffer;
}
type Tree = Leaf | { readonly children: readonly Tree[] };

const leaf: fc.Arbitrary<Leaf> = fc.record({
  encoding: fc.constantFrom("7bit", "8bit", "binary", "base64", "quoted-printable"),
  bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
});
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ children: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }) }),
  ),
}));

/** Escapes everything except letters, so that no content can look like a boundary. */
const quoted = (bytes: Buffer): string =>
  bytes.toString("latin1").replaceAll(/[^a-zA-Z]/g, (c) => `=${c.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Replaces dashes in bytes that are not encoded, so that they cannot contain a boundary. */
const withoutDashes = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => (byte === 45 ? 46 : byte)));

function contentOf({ encoding, bytes }: Leaf): Buffer {
  return encoding === "base64" || encoding === "quoted-printable" ? bytes : withoutDashes(bytes);
}

function write(node: Tree, path: string): Buffer {
  if ("children" in node) {
    const boundary = `b${path}`;
    const parts = node.children.flatMap((child, index) => [
      Buffer.from(`\r\n--${boundary}\r\n`),
      write(child, `${path}${index}`),
    ]);
    return Buffer.concat([
      Buffer.from(`Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`),
      ...parts,
      Buffer.from(`\r\n--${boundary}--`),
    ]);
  }
  const content = contentOf(node);
  const encoded =
    node.encoding === "base64"
      ? content.toString("base64")
      : node.encoding === "quoted-printable"
        ? quoted(content)
        : content.toString("latin1");
  return Buffer.from(
    `Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: ${node.encoding}\r\n\r\n${encoded}`,
    "latin1",
  );
}

function expectSame(raw: Buffer, part: Part, node: Tree): void {
  if ("children" in node) {
    expect(part.children.length).toBe(node.children.length);
    for (const [index, child] of node.children.entries()) expectSame(raw, part.children[index] ?? part, child);
  } else expect(Buffer.from(decodeBytes(raw, part)).equals(contentOf(node))).toBe(true);
}

describe("parsing generated mail", () => {
  it("returns every part tree and all bytes in five transfer encodings", () => {
    fc.assert(
      fc.property(tree, (node) => {
        const raw = Buffer.concat([Buffer.from("From: a@example.com\r\n"), write(node, "")]);
        const mail = parseMail(raw, defaultLimits);
        expectSame(raw, mail.root, node);
        expect(mail.defects).toEqual(["missing_date"]);
      }),
      { numRuns: 500 },
    );
  });

  it("returns any Unicode text from encoded words, wherever the words split its bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, maxLength: 80 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (text, length, isBase64) => {
          const bytes = Buffer.from(text.toWellFormed());
          const words: string[] = [];
          for (let from = 0; from < bytes.length; from += length) {
            const chunk = bytes.subarray(from, from + length);
            words.push(isBase64 ? `=?UTF-8?B?${chunk.toString("base64")}?=` : `=?utf-8*en?q?${quoted(chunk)}?=`);
          }
          expect(decodeEncodedWords(words.join("\r\n "))).toBe(text.toWellFormed().replace(/^\ufeff/, ""));
        },
      ),
    );
  });

  it("returns any text body unchanged except for line ends and a byte order mark", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (text) => {
        const raw = Buffer.from(
          `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString("base64")}`,
        );
        const expected = text
          .toWellFormed()
          .replace(/^\ufeff/, "")
          .replaceAll(/\r\n?/g, "\n");
        expect(joinTexts(raw, parseMail(raw, defaultLimits).textParts)).toBe(expected);
      }),
    );
  });

  it.each(["utf-16le", "UTF-16", "utf-16be"])("keeps characters of %s whose bytes are CR and LF", (charset) => {
    const raw = Buffer.from(
      `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=FE=FF=0D=0A=0D=0D=0A=0A`,
    );
    const text = joinTexts(raw, parseMail(raw, defaultLimits).textParts);
    expect(text?.slice(-3)).toBe(charset === "utf-16le" ? "\u0a0d\u0d0d\u0a0a" : "\u0d0a\u0d0d\u0a0a");
  });

  it("returns any list of names and addresses", () => {
    const name = fc
      .string({ unit: "grapheme", maxLength: 20 })
      .map((text) => text.replaceAll(/[\p{C}\p{Z}\s]+/gu, " ").trim());
    const address = fc
      .tuple(fc.stringMatching(/^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/), fc.domain())
      .map(([local, domain]) => `${local}@${domain}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, address), { maxLength: 8 }), (mailboxes) => {
        const printed = mailboxes.map(([text, email]) =>
          text === "" ? email : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}" <${email}>`,
        );
        expect(parseAddressList(printed.join(", "))).toEqual(
          mailboxes.map(([text, email]) => ({ name: text, email, phone: null })),
        );
      }),
      { numRuns: 500 },
    );
  });
});

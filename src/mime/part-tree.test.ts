import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { decodeBytes, joinTexts } from "./body-content.ts";
import { parseMail } from "./parse-mail.ts";
import type { Mail } from "./parse-mail.ts";
import type { Part } from "./part.ts";

const parse = (text: string, limits = {}): { raw: Buffer; mail: Mail } => {
  const raw = Buffer.from(text.replaceAll("\n", "\r\n"), "latin1");
  return { raw, mail: parseMail(raw, { ...defaultLimits, ...limits }) };
};
const head = "From: a@example.com\nDate: Fri, 20 Nov 2026 10:42:07 +0000\n";
const mixed = `${head}Content-Type: multipart/mixed; boundary=b\n\n`;
const parts = (count: number): string => `${mixed}${"--b\n\nx\n".repeat(count)}--b--\n`;
const nested = (count: number): string =>
  `${head}${Array.from({ length: count }, (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`).join("")}\ninnermost`;
const depthOf = (part: Part): number => Math.max(part.depth, ...part.children.map(depthOf));

describe("the part tree", () => {
  it("has the offsets of every header section and body", () => {
    const { raw, mail } = parse(
      `${mixed}pre\n--b\nContent-Type: text/plain\n\none\n\n--b \nX: y\n\ntwo\n--b--\npost\n`,
    );
    const slices = [mail.root, ...mail.root.children].map((part) => [
      raw.toString("latin1", part.headerStart, part.headerEnd),
      raw.toString("latin1", part.bodyStart, part.bodyEnd),
    ]);
    expect(slices.slice(1)).toEqual([
      ["Content-Type: text/plain\r\n", "one\r\n"],
      ["X: y\r\n", "two"],
    ]);
    expect(slices[0]?.[0]).toBe(mixed.trimEnd().replaceAll("\n", "\r\n") + "\r\n");
    expect(slices[0]?.[1]).toMatch(/^pre\r\n--b[^]*post\r\n$/);
  });

  it("ends inner parts at an outer boundary", () => {
    const { raw, mail } = parse(
      `${mixed}--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--\n`,
    );
    const [inner, second] = mail.root.children;
    expect(inner?.children.map((part) => Buffer.from(decodeBytes(raw, part)).toString())).toEqual(["one"]);
    expect(second && Buffer.from(decodeBytes(raw, second)).toString()).toBe("two");
    expect(mail.defects).toEqual(["missing_closing_boundary"]);
  });

  it.each([
    ["at the end", `${head}Content-Type: multipart/alternative; boundary=b\n\n`, "--b\n\n \n\t\n"],
    ["without a line end", mixed, "--b"],
    [
      "before an outer boundary",
      `${mixed}--b\nContent-Type: multipart/alternative; boundary=c\n\n`.replaceAll("--b", "--o").replace("=b", "=o"),
      "--c\n\n--o--\n",
    ],
  ])("takes a boundary line without anything after it for the closing one: %s", (_, start, end) => {
    const boundary = end.slice(0, 3);
    const { raw, mail } = parse(`${start}${boundary}\n\none\n${boundary}\nContent-Type: text/html\n\ntwo\n${end}`);
    expect([joinTexts(raw, mail.textParts), joinTexts(raw, mail.htmlParts)]).toEqual(["one", "two"]);
    expect(mail.attachments).toEqual([]);
    expect(mail.defects).toEqual(["missing_closing_boundary"]);
  });

  it("keeps an empty part at the end that has fields, or that is the only one", () => {
    const named = parse(`${mixed}--b\n\none\n--b\nContent-Type: image/png\n\n`).mail;
    expect(named.attachments.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
    expect(parse(`${mixed}--b\n\n`).mail.textParts.length).toBe(1);
  });

  it("contains parts after the closing boundary, and no epilogue", () => {
    const { raw, mail } = parse(`${mixed}--b\n\none\n--b--\nepilogue\n--b\n\ntwo\n--b--\nepilogue\n`);
    expect(joinTexts(raw, mail.textParts)).toBe("one\ntwo");
    expect(mail.defects).toEqual(["part_after_closing_boundary"]);
  });

  it("contains parts after the closing boundary of an inner multipart, up to the outer boundary", () => {
    const inner = "Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--c--\n--c\n\ntwo\n";
    const { raw, mail } = parse(`${mixed}--b\n${inner}--b\n\n--c\nthree\n--b--\n`);
    expect(mail.textParts.map((part) => Buffer.from(decodeBytes(raw, part)).toString())).toEqual([
      "one",
      "two",
      "--c\r\nthree",
    ]);
    expect(mail.defects).toEqual(["part_after_closing_boundary", "missing_closing_boundary"]);
  });

  it("begins at the first boundary directly under the header, at any depth", () => {
    const inner = "Content-Type: multipart/alternative;\n boundary=c\n--c\nContent-Type: text/plain\n\none\n--c--\n";
    const { raw, mail } = parse(`${mixed.trimEnd()}\n--b\n${inner}--b\n\ntwo\n--b--\n`);
    expect(joinTexts(raw, mail.textParts)).toBe("one\ntwo");
    expect(mail.defects).toEqual(["missing_header_end"]);
  });

  it("keeps lines of a part as its body when no empty line follows and none declares content", () => {
    const { raw, mail } = parse(
      `${mixed}--b\nNote: one\n--b\nContent-Language: en\n--b\nTo: you\nand me\n\ntwo\n--b--\n`,
    );
    expect(mail.textParts.map((part) => Buffer.from(decodeBytes(raw, part)).toString())).toEqual([
      "Note: one",
      "",
      "To: you\r\nand me\r\n\r\ntwo",
    ]);
    expect(mail.defects).toEqual(["missing_header_end"]);
  });

  it.each([["--b-->"], ["--b--<br>"], ["--b-- end"], ["--b--;"]])("treats %s as the closing boundary", (line) => {
    const { raw, mail } = parse(`${mixed}--b\n\none\n${line}\nepilogue\n`);
    expect(mail.defects).toEqual([]);
    expect(joinTexts(raw, mail.textParts)).toBe("one");
  });

  it.each([["--b>"], ["--b;x"], ["--b <x>"]])("treats %s as a boundary between parts", (line) => {
    const { mail } = parse(`${mixed}--b\n\none\n${line}\n\ntwo\n--b--\n`);
    expect(mail.root.children.length).toBe(2);
  });

  it("prefers a boundary that fills the line over a shorter one at its start", () => {
    const inner = 'Content-Type: multipart/mixed; boundary="b c"\n\n--b c\n\none\n--b c\n\ntwo\n--b c--\n';
    const { mail } = parse(`${mixed}--b\n${inner}--b--\n`);
    expect(mail.root.children.length).toBe(1);
    expect(mail.root.children[0]?.children.length).toBe(2);
  });

  it("ignores a longer line that starts with the boundary, and a boundary inside of a line", () => {
    const { mail } = parse(`${mixed}--b\n\n--bb\n --b\nx--b\n--b-\n--b--x\n--b--\n`);
    expect(mail.root.children.length).toBe(1);
    expect(mail.defects).toEqual([]);
  });

  it("is a single text for mail without Content-Type", () => {
    const { mail } = parse(`${head}\nx`);
    expect(mail.root).toMatchObject({
      mediaType: "text/plain",
      charset: null,
      disposition: null,
      children: [],
      depth: 0,
    });
  });
});

describe("limits of the part tree", () => {
  it("parses partCountMax parts, including the root", () => {
    const { mail } = parse(parts(4), { partCountMax: 5 });
    expect(mail.textParts.length).toBe(4);
    expect(mail.defects).toEqual([]);
  });

  it("keeps content after partCountMax parts as one attachment", () => {
    const { raw, mail } = parse(parts(7), { partCountMax: 5 });
    const rest = mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)).toString());
    expect(rest).toEqual(["--b\r\n\r\nx\r\n--b\r\n\r\nx\r\n--b\r\n\r\nx\r\n--b--\r\n"]);
    expect(mail.textParts.map((part) => Buffer.from(decodeBytes(raw, part)).toString())).toEqual(["x", "x", "x", "x"]);
    expect(mail.defects).toEqual(["too_many_parts"]);
  });

  it("parses multiparts above partDepthMax", () => {
    const { mail } = parse(nested(3), { partDepthMax: 3 });
    expect(depthOf(mail.root)).toBe(3);
    expect(mail.textParts.length).toBe(1);
    expect(mail.defects).not.toContain("too_deep");
  });

  it("treats a multipart at partDepthMax as an attachment", () => {
    const { mail } = parse(nested(4), { partDepthMax: 3 });
    expect(depthOf(mail.root)).toBe(3);
    expect(mail.textParts).toEqual([]);
    expect(mail.attachments).toMatchObject([{ mediaType: "multipart/mixed", fileName: "attachment-1.bin", depth: 3 }]);
    expect(mail.defects).toContain("too_deep");
  });
});

describe("limits of the header section", () => {
  const fields = (count: number): string => `${"X-A: b\n".repeat(count)}\nbody`;

  it("parses headerCountMax fields and finds the body after more of them", () => {
    expect(parse(fields(3), { headerCountMax: 3 }).mail.defects).not.toContain("too_many_header_fields");
    const { raw, mail } = parse(fields(4), { headerCountMax: 3 });
    expect(mail.headers.length).toBe(3);
    expect(mail.defects).toContain("too_many_header_fields");
    expect(Buffer.from(decodeBytes(raw, mail.root)).toString()).toBe("body");
  });

  it("parses headerBytesMax bytes and finds the body after more of them", () => {
    const bytes = "X-A: b\r\n".length * 3;
    expect(parse(fields(3), { headerBytesMax: bytes }).mail.defects).not.toContain("header_too_large");
    const { raw, mail } = parse(fields(3), { headerBytesMax: bytes - 1 });
    expect(mail.headers.length).toBe(2);
    expect(mail.defects).toContain("header_too_large");
    expect(Buffer.from(decodeBytes(raw, mail.root)).toString()).toBe("body");
  });

  it("removes a field that the limit cuts in its continuation", () => {
    const { mail } = parse(`X-A: b\nSubject: one\n two\n three\n\nbody`, { headerBytesMax: 30 });
    expect(mail.headers).toEqual([{ field: "X-A", value: "b" }]);
    expect(mail.subject).toBe("");
  });
});

import { describe, expect, test } from "vitest";
import { cheapLimits, isCheapToRead, isCheapWithFewParts } from "./reading-cost.ts";

const header = "From: a@b.example\r\nSubject: Hi\r\n";
const mailOf = (head: string, body: string): Buffer => Buffer.from(`${head}\r\n${body}`);
const { mailBytesMax, headerBytesMax, headerLineCountMax, delimiterCountMax } = cheapLimits;

describe("a cheap mail", () => {
  test.each<[name: string, atTheBound: Buffer, pastIt: Buffer]>([
    ["mailBytesMax", Buffer.alloc(mailBytesMax, `${header}\r\nx\r\n`), Buffer.alloc(mailBytesMax + 1, "x\r\n\r\n")],
    [
      "headerBytesMax",
      mailOf(`Subject: ${"x".repeat(headerBytesMax - 9)}\r\n`, ""),
      mailOf(`Subject: ${"x".repeat(headerBytesMax - 8)}\r\n`, ""),
    ],
    [
      "headerLineCountMax",
      mailOf("A: b\r\n".repeat(headerLineCountMax), ""),
      mailOf("A: b\r\n".repeat(headerLineCountMax + 2), ""),
    ],
    [
      "delimiterCountMax",
      mailOf(header, "x\r\n--b".repeat(delimiterCountMax)),
      mailOf(header, "x\r\n--b".repeat(delimiterCountMax + 1)),
    ],
  ])("allows %s and not more", (_name, atTheBound, pastIt) => {
    if (_name !== "mailBytesMax") expect(isCheapToRead(atTheBound)).toBe(true);
    expect(isCheapToRead(pastIt)).toBe(false);
  });

  test("allows more delimiters for a reader that stops at a number of parts", () => {
    expect(isCheapWithFewParts(mailOf(header, "x\r\n--b".repeat(delimiterCountMax + 1)))).toBe(true);
    expect(isCheapWithFewParts(mailOf("A: b\r\n".repeat(headerLineCountMax + 2), ""))).toBe(false);
  });

  test("rejects a header section that does not end", () => {
    expect(isCheapToRead(Buffer.from("A: b\r\n".repeat(headerLineCountMax + 1)))).toBe(false);
    expect(isCheapToRead(Buffer.from('\\"'.repeat(20_000)))).toBe(false);
  });

  test("counts alike with any line ends", () => {
    expect(isCheapToRead(Buffer.from(`${header.replaceAll("\r", "")}\n${"x\n".repeat(10_000)}`))).toBe(true);
    expect(isCheapToRead(Buffer.alloc(0))).toBe(true);
  });
});

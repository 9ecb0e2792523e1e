import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cut } from "../../testing/chunks.ts";
import { LineReader } from "./input.ts";

const overlong = Symbol("overlong");

function readAll(chunks: readonly Buffer[], lineBytesMax: number): (string | symbol)[] {
  const reader = new LineReader(lineBytesMax);
  const lines: (string | symbol)[] = [];
  for (const chunk of chunks) {
    let offset = 0;
    while (offset < chunk.length) {
      const read = reader.read(chunk, offset);
      offset = read.next;
      if (read.kind !== "partial") lines.push(read.kind === "line" ? read.text : overlong);
    }
  }
  return lines;
}

describe("LineReader", () => {
  test("ends lines with CRLF or LF and keeps bare CRs", () => {
    expect(readAll([Buffer.from("a\r\nb\n\r\n\nc\rd\r\r\nrest")], 100)).toEqual(["a", "b", "", "", "c\rd\r"]);
  });

  test("reads a line of the maximum length and drops all of a line that is a byte longer", () => {
    expect(readAll([Buffer.from("12345678\r\n123456789\r\nNOOP\r\n")], 10)).toEqual(["12345678", overlong, "NOOP"]);
  });

  test("decodes octets that are not UTF-8 as U+FFFD", () => {
    expect(readAll([Buffer.from([0x61, 0xff, 0x0a, 0xc3, 0xa4, 0x0a])], 100)).toEqual(["a\uFFFD", "ä"]);
  });

  test("reads the same lines for any division into chunks", () => {
    const piece = fc.oneof(
      fc.constantFrom("\r\n", "\n", "\r", "ä", "\0"),
      fc.string({ maxLength: 12 }),
      fc.string({ minLength: 20, maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat({ max: 12 })), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(""));
        const whole = readAll([bytes], 20);
        expect(readAll(cut(bytes, cuts), 20)).toEqual(whole);
        expect(readAll(cut(bytes, [1]), 20)).toEqual(whole);
        expect(whole).toEqual(
          bytes
            .toString("latin1")
            .split("\n")
            .slice(0, -1)
            .map((line) =>
              line.length + 1 > 20 ? overlong : Buffer.from(line.replace(/\r$/, ""), "latin1").toString("utf8"),
            ),
        );
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withLfBytes, withLfLineEnds } from "./line-ends.ts";

describe("withLfBytes", () => {
  it("has the line ends of the decoded text", () => {
    const texts = fc.array(fc.constantFrom("\r", "\n", "\r\n", "a", "ä"), { maxLength: 30 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("");
        expect(withLfLineEnds(withLfBytes(Buffer.from(text)).toString())).toBe(withLfLineEnds(text));
      }),
    );
  });

  it("returns texts without CRLF, with a lone CR, and above 64 KiB as they are", () => {
    for (const text of ["", "a\nb", "a\r\nb\rc", "a\r\r\n", `\r\n${"a".repeat(64 * 1024)}`]) {
      const bytes = Buffer.from(text);
      expect(withLfBytes(bytes)).toBe(bytes);
    }
  });

  it("does not change the bytes that it is given", () => {
    const bytes = Buffer.from("a\r\nb\r\n");
    expect(withLfBytes(bytes).toString()).toBe("a\nb\n");
    expect(bytes.toString()).toBe("a\r\nb\r\n");
  });
});

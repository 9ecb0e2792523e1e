import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SearchBody } from "./search-body.ts";

const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 4 });

function written(body: SearchBody): string {
  const target = Buffer.alloc(body.byteLength + 2, "?");
  expect(body.writeTo(target, 1)).toBe(body.byteLength + 1);
  expect([target[0], target.at(-1)]).toEqual([0x3f, 0x3f]);
  return target.toString("utf8", 1, body.byteLength + 1);
}

describe("SearchBody", () => {
  it("writes the texts joined by line feeds, before and after they were joined", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const body = new SearchBody(parts);
        const whole = parts.join("\n");
        expect([written(body), body.text, written(body)]).toEqual([whole, whole, whole]);
      }),
    );
  });

  it("has no text after its release, and rejects to be written", () => {
    const body = new SearchBody(["text", "html"]);
    body.release();
    expect(body.text).toBeNull();
    expect(() => body.byteLength).toThrow("released");
    expect(() => body.writeTo(Buffer.alloc(9), 0)).toThrow("released");
  });
});

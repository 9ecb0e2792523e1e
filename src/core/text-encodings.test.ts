import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeStrictBase64 } from "./text-encodings.ts";

test("decodeStrictBase64 returns the bytes of any base64", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeStrictBase64(Buffer.from(bytes).toString("base64"))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  "a",
  "abc",
  "ab=c",
  "====",
  "YW Jj",
  "YWJj\n",
  "YW-_",
  "YWJj=YWJ",
  "YW\u0142j",
  "a===",
  "-___",
  "YWJjYW==YWJj",
])("returns null for %j", (text) => {
  expect(decodeStrictBase64(text)).toBeNull();
});

test("accepts exactly what the grammar of RFC 4648 does", () => {
  const grammar = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const unit = fc.constantFrom("A", "z", "0", "+", "/", "-", "_", "=", " ", "\n", "!", "é", "語");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      expect(decodeStrictBase64(text) !== null).toBe(grammar.test(text));
    }),
    { numRuns: 2000 },
  );
});

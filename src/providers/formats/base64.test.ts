import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeStrictBase64 } from "./base64.ts";

test("decodeStrictBase64 returns the bytes of any base64", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeStrictBase64(Buffer.from(bytes).toString("base64"))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each(["a", "abc", "ab=c", "====", "YW Jj", "YWJj\n", "YW-_", "YWJj=YWJ"])("returns null for %j", (text) => {
  expect(decodeStrictBase64(text)).toBeNull();
});

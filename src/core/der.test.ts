import fc from "fast-check";
import { expect, test } from "vitest";
import * as der from "./der.ts";

test.each([
  [0, "0400"],
  [127, "047f"],
  [128, "048180"],
  [255, "0481ff"],
  [256, "04820100"],
  [65_536, "0483010000"],
])("encodes a length of %i in the fewest octets", (length, head) => {
  expect(
    der
      .octetString(Buffer.alloc(length))
      .subarray(0, head.length / 2)
      .toString("hex"),
  ).toBe(head);
});

test.each([
  ["00", "020100"],
  ["7f", "02017f"],
  ["80", "02020080"],
  ["000001", "020101"],
  ["00ff", "020200ff"],
])("encodes the unsigned integer %s in the shortest positive form", (bytes, encoded) => {
  expect(der.unsignedInteger(Buffer.from(bytes, "hex")).toString("hex")).toBe(encoded);
});

test("keeps the value of every unsigned integer", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 159n }), (number) => {
      const hex = number.toString(16);
      const encoded = der.unsignedInteger(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"));
      expect(BigInt(`0x${encoded.subarray(2).toString("hex")}`)).toBe(number);
      expect(encoded[2]).toBeLessThan(0x80);
    }),
  );
});

test.each([
  ["2.5.29.17", "0603551d11"],
  ["1.2.840.10045.4.3.2", "06082a8648ce3d040302"],
  ["1.3.6.1.5.5.7.3.1", "06082b06010505070301"],
])("encodes the object identifier %s", (dotted, encoded) => {
  expect(der.objectIdentifier(dotted).toString("hex")).toBe(encoded);
});

test.each([
  ["2026-11-20T10:42:07.975Z", "\u0017\r261120104207Z"],
  ["2049-12-31T23:59:59Z", "\u0017\r491231235959Z"],
  ["2050-01-01T00:00:00Z", "\u0018\u000f20500101000000Z"],
])("encodes the time %s as UTCTime until 2049", (instant, encoded) => {
  expect(der.time(Date.parse(instant)).toString("latin1")).toBe(encoded);
});

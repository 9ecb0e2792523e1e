import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  formatAge,
  formatBytes,
  formatContact,
  formatDuration,
  formatDay,
  formatInstant,
  formatPreciseInstant,
  formatSpan,
  unicodeDomainOf,
} from "./format.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [9960, "10.0 kB"],
  [81_234, "81 kB"],
  [5_200_000, "5.2 MB"],
  [52_428_800, "52 MB"],
  [3e12, "3000 GB"],
])("formats %i bytes as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

describe("formatAge", () => {
  const now = new Date(2026, 10, 20, 12, 0, 0).getTime();
  test.each([
    [0, "now"],
    [-5000, "now"],
    [59_999, "now"],
    [60_000, "1 min"],
    [192_000, "3 min"],
    [3_599_000, "59 min"],
    [3_600_000, "11:00"],
    [12 * 3_600_000, "00:00"],
    [12 * 3_600_000 + 1000, "19 Nov"],
    [366 * 86_400_000, "19 Nov 2025"],
  ])("formats an age of %i ms at noon as %s", (age, text) => {
    expect(formatAge(new Date(now - age).toISOString(), now)).toBe(text);
  });

  test("formatDay states the year where it is not the current one", () => {
    const day = (age: number): string => formatDay(new Date(now - age).toISOString(), now);
    expect([day(1000), day(366 * 86_400_000)]).toEqual(["20 Nov 11:59:59", "19 Nov 2025 12:00:00"]);
  });
});

test("formats an instant with an offset, to the second or the millisecond, so that it parses to the same instant", () => {
  const parsed = (shown: string): string => new Date(shown.replace(" ", "T").replace(" ", "")).toISOString();
  expect(parsed(formatPreciseInstant("2026-11-20T10:42:07.975Z"))).toBe("2026-11-20T10:42:07.975Z");
  expect(formatInstant("2026-11-20T10:42:07.975Z")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:07 [+-]\d\d:\d\d$/);
  expect(parsed(formatInstant("2026-11-20T10:42:07.975Z"))).toBe("2026-11-20T10:42:07.000Z");
});

test("formats a contact by name and address", () => {
  const mail = { name: "Ann", email: "ann@x.example", phone: null };
  expect([addressOf(mail), formatContact(mail)]).toEqual(["ann@x.example", "Ann <ann@x.example>"]);
  expect(formatContact({ ...mail, name: "" })).toBe("ann@x.example");
  expect(formatContact({ name: "", email: null, phone: "+4912" })).toBe("+4912");
  expect(formatContact({ ...mail, email: "ann@xn--mller-kva.example" })).toBe(
    "Ann <ann@xn--mller-kva.example> (müller.example)",
  );
});

test.each([
  [0, "0.00 ms"],
  [0.416, "0.42 ms"],
  [8.06, "8.1 ms"],
  [47.6, "48 ms"],
  [1300, "1.3 s"],
  [61_000, "61 s"],
])("formats a duration of %f ms as %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test.each([
  [-1, "0 min 00 s"],
  [61_000, "1 min 01 s"],
  [3_600_000, "1 h 00 min"],
  [86_400_000, "1 day 0 h"],
  [183_600_000, "2 days 3 h"],
])("a span of %i ms is %s", (spanMs, text) => {
  expect(formatSpan(spanMs)).toBe(text);
});

test.each([
  ["kundin@xn--mller-kva.example", "müller.example"],
  ["a@shop.xn--r8jz45g.XN--ZCKZAH", "shop.例え.テスト"],
  ["a@b.example", null],
  ["a@xn--a!.example", null],
  ["a@xn--99999999.example", null],
  ["", null],
])("shows the domain of %s as %j", (address, domain) => {
  expect(unicodeDomainOf(address)).toBe(domain);
});

test("is the domain that the ASCII form was made of", () => {
  const letters = fc.string({
    unit: fc.constantFrom("a", "ü", "ß", "ж", "例", "ア", "3", "😀"),
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(letters, (label) => {
      const ascii = domainToASCII(`${label}.example`);
      return !ascii.includes("xn--") || unicodeDomainOf(`a@${ascii}`) === `${label}.example`;
    }),
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStandardMailDate, readMailDate, readMailDay } from "./mail-date.ts";

const iso = (text: string): string | null => {
  const date = readMailDate(text);
  return date === null ? null : new Date(date.instant).toISOString();
};

describe("readMailDate", () => {
  it.each([
    ["Fri, 20 Nov 2026 10:42:07 +0000", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +0130", "2026-11-20T09:12:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 -0500", "2026-11-20T15:42:07.000Z"],
    ["20 Nov 2026 10:42:07 +0000", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42 +0000", "2026-11-20T10:42:00.000Z"],
    ["Fri,20 nov 2026 1:02:03 GMT", "2026-11-20T01:02:03.000Z"],
    ["Friday, 20-Nov-26 10:42:07 UT", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 November 2026 10:42:07 EST", "2026-11-20T15:42:07.000Z"],
    ["Fri, 20 Nov 99 10:42:07 PDT", "1999-11-20T17:42:07.000Z"],
    ["Fri, 20 Nov 126 10:42:07 Z", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +0100 (CET)", "2026-11-20T09:42:07.000Z"],
    ["Fri (day), 20 (of) Nov 2026 10:42:07 +0000", "2026-11-20T10:42:07.000Z"],
    ["Fri, 21 Nov 1997 09(comment (nested)):   55  :  06 -0600", "1997-11-21T15:55:06.000Z"],
    ["Fri, 20 Nov (x) 2026 10:42:07 +0000", "2026-11-20T10:42:07.000Z"],
    ["Sat, 29 Feb 2020 23:59:60 +0000", "2020-03-01T00:00:00.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +02:00", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 -05:00", "2026-11-20T15:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +05:30", "2026-11-20T05:12:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +02", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +2", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +200", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07+0200", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 GMT+0200", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07.123 0000", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 UTC+2", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 GMT-08:00", "2026-11-20T18:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 +0200 CEST", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10.42.07 +0200", "2026-11-20T08:42:07.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 PM +0200", "2026-11-20T20:42:07.000Z"],
    ["Fri, 20 Nov 2026 12:05 a.m. +0000", "2026-11-20T00:05:00.000Z"],
    ["Fri, 20 Nov 2026 10:42:07 K", "2026-11-20T10:42:07.000Z"],
    ["Fri, 20 Nov 26 10:42:07 +0000", "2026-11-20T10:42:07.000Z"],
    ["2026-11-20T10:42:07Z", "2026-11-20T10:42:07.000Z"],
    ["2026-11-20T10:42:07.123+02:00", "2026-11-20T08:42:07.000Z"],
    ["2026-11-20 10:42:07 -0500", "2026-11-20T15:42:07.000Z"],
    ["2026-11-20 10:42:07.5 +0100 CET", "2026-11-20T09:42:07.000Z"],
    ["Fri Nov 20 10:42:07 2026", "2026-11-20T10:42:07.000Z"],
    ["Fri Nov  6 10:42:07 2026", "2026-11-06T10:42:07.000Z"],
    ["Fri Nov 20 10:42:07 EST 2026", "2026-11-20T15:42:07.000Z"],
    ["Fri Nov 20 10:42:07 2026 +0100", "2026-11-20T09:42:07.000Z"],
    ["Fri Nov 20 2026 10:42:07 GMT+0200 (Central European Summer Time)", "2026-11-20T08:42:07.000Z"],
    ["Friday, November 20, 2026 10:42 AM", "2026-11-20T10:42:00.000Z"],
    ["Fri, 31 Dec 9999 23:59:59 +0000", "9999-12-31T23:59:59.000Z"],
    ["Mon, 01 Jan 1900 00:00:00 +0000", "1900-01-01T00:00:00.000Z"],
  ])("parses %j as %s", (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    "",
    "yesterday",
    "2026-11-20",
    "Fri, 31 Nov 2026 10:42:07 +0000",
    "Fri, 29 Feb 2026 10:00:00 +0000",
    "Fri, 20 Foo 2026 10:42:07 +0000",
    "Fri, 20 Nov 2026 24:00:00 +0000",
    "Fri, 20 Nov 2026 10:60:00 +0000",
    "Fri, 0 Nov 2026 10:00:00 +0000",
    "Fri, 20 Nov 2026 10:42:07 +9999",
    "Fri, 20 Nov 2026 10:42:07 +2400",
    "Fri, 20 Nov 2026 10:42:07 +0060",
    "Fri, 20 Nov 2026 10:42:07 +02:00:00",
    "Fri, 20 Nov 2026 10:42:07 0200",
    "Fri, 20 Nov 2026 13:42:07 PM +0000",
    "Fri, 20 Nov 2026 10:42:07 +0000 junk 7",
    "Fri, 20 Nov 1899 10:42:07 +0000",
    "Fri, 20 Nov 0001 10:42:07 +0000",
    "Fri, 31 Dec 9999 23:59:59 -0100",
    "Fri, 31 Dec 9999 23:59:59 +0100 x 1",
    "Mon, 01 Jan 1900 00:00:00 +0100",
    "20/11/2026 10:42:07",
    "11/20/2026 10:42:07 +0000",
    "2026-13-20T10:42:07Z",
    "2026-11-31T10:42:07Z",
    "2026-11-20T24:00:00Z",
    "1795171327",
    "Fri, 20 Nov 2026",
  ])("returns null for %j", (text) => {
    expect(readMailDate(text)).toBeNull();
  });

  it("parses every instant that a sender can write, in any zone", () => {
    const instants = fc.date({ min: new Date("1902-01-01"), max: new Date("9998-12-31"), noInvalidDate: true });
    const offsets = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(instants, offsets, (date, offsetMinutes) => {
        const instant = Math.floor(date.getTime() / 1000) * 1000;
        const local = new Date(instant + offsetMinutes * 60_000);
        const size = Math.abs(offsetMinutes);
        const [hours, minutes] = [Math.trunc(size / 60), size % 60].map((part) => String(part).padStart(2, "0"));
        const sign = offsetMinutes < 0 ? "-" : "+";
        const utc = local.toUTCString();
        const written = [
          utc.replace("GMT", `${sign}${hours}${minutes}`),
          utc.replace("GMT", `GMT${sign}${hours}:${minutes}`),
          local.toISOString().replace("Z", `${sign}${hours}:${minutes}`),
        ];
        const expected = written.map(() => ({ instant, offsetMinutes: offsetMinutes === 0 ? 0 : offsetMinutes }));
        expect(written.map((text) => readMailDate(text))).toEqual(expected);
      }),
    );
  });

  it("returns a date that ISO 8601 can write in the zone of the mail, or null, for any text", () => {
    const part = fc.constantFrom(
      "Fri,",
      "20",
      "Nov",
      "2026",
      "99",
      "10:42:07",
      "+9999",
      "-2359",
      "GMT",
      "31",
      "Dec",
      "9999",
    );
    const texts = fc
      .array(fc.oneof(part, fc.string({ maxLength: 8 })), { maxLength: 8 })
      .map((parts) => parts.join(" "));
    fc.assert(
      fc.property(texts, (text) => {
        const date = readMailDate(text);
        if (date === null) return;
        const local = new Date(date.instant + date.offsetMinutes * 60_000).toISOString();
        expect([local, new Date(date.instant).toISOString()].every((iso8601) => /^\d{4}-/.test(iso8601))).toBe(true);
        expect(Math.abs(date.offsetMinutes)).toBeLessThan(1440);
      }),
      { numRuns: 3000 },
    );
  });
});

it.each([
  ["Fri, 20 Nov 2026 23:42:07 -0500", "2026-11-20"],
  ["2026-11-20T01:00:00+02:00", "2026-11-20"],
])("readMailDay returns the day of %j as written", (text, expected) => {
  expect(new Date(readMailDay(text) ?? 0).toISOString().slice(0, 10)).toBe(expected);
});

it.each([
  ["Fri, 20 Nov 2026 10:42:07 +0000", true],
  ["20 Nov 2026 10:42 -0500 (EST)", true],
  ["Fri, 20 Nov 2026 10:42:07 GMT", true],
  ["Fri, 20 Nov 2026 10:42:07 +02:00", false],
  ["Fri, 20 Nov 2026 10:42:07 GMT+0200", false],
  ["Fri, 20 Nov 26 10:42:07 +0000", false],
  ["Fri, 20 Nov 2026 10:42:07", false],
  ["Fri, 20 Nov 2026 10:42:07 +9999", false],
  ["2026-11-20T10:42:07Z", false],
])("isStandardMailDate of %j is %s", (text, expected) => {
  expect(isStandardMailDate(text)).toBe(expected);
});

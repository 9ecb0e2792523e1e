import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHeaderDate } from "./header-date.ts";

const iso = (text: string): string | null => {
  const instant = parseHeaderDate(text);
  return instant === null ? null : new Date(instant).toISOString();
};

describe("parseHeaderDate", () => {
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
  ])("returns null for %j", (text) => {
    expect(parseHeaderDate(text)).toBeNull();
  });

  it("parses every instant that a sender can write", () => {
    const instant = fc.date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(instant, (date) => {
        expect(parseHeaderDate(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
    );
  });
});

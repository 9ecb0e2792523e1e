import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseInstant } from "./date.ts";

const at = (year: number, ...rest: number[]): number => {
  const [month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
};

describe("instants of the official libraries", () => {
  test.each([
    ["node, cypress", "2026-11-20T10:42:07.975Z", at(2026, 11, 20, 10, 42, 7, 975)],
    ["python", "2026-11-20T11:42:32+01:00", at(2026, 11, 20, 10, 42, 32)],
    ["java, dart", "1767225600000", at(2026)],
    [".NET, UTC", "2026-11-20T10:42:07.9750000Z", at(2026, 11, 20, 10, 42, 7, 975)],
    [".NET, local", "2026-11-20T10:42:07.0000000-05:30", at(2026, 11, 20, 16, 12, 7)],
    [".NET, unspecified", "2026-11-20T10:42:07.1230000", at(2026, 11, 20, 10, 42, 7, 123)],
    ["ruby, php, go", "2026-11-20T10:42:07+00:00", at(2026, 11, 20, 10, 42, 7)],
    ["swift", "2026-11-20T10:42:07Z", at(2026, 11, 20, 10, 42, 7)],
    ["cypress, list", "Tue Feb 01 2000 00:00:00 GMT+0000 (Coordinated Universal Time)", at(2000, 2)],
    ["cypress, east", "Tue Feb 01 2000 05:30:00 GMT+0530 (India Standard Time)", at(2000, 2)],
    ["cypress, a plus that the URL lost", "Tue Feb 01 2000 05:30:00 GMT 0530 (India Standard Time)", at(2000, 2)],
    ["a plus that the URL lost", "2026-11-20T11:42:32 01:00", at(2026, 11, 20, 10, 42, 32)],
  ])("parses that of %s: %s", (_library, text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });
});

describe("formats", () => {
  test.each([
    ["2026-11-20", at(2026, 11, 20)],
    ["2026-11-20T10:42", at(2026, 11, 20, 10, 42)],
    ["2026-11-20t10:42:07z", at(2026, 11, 20, 10, 42, 7)],
    ["2026-11-20 10:42:07Z", at(2026, 11, 20, 10, 42, 7)],
    ["2026-11-20T10:42:07,5Z", at(2026, 11, 20, 10, 42, 7, 500)],
    ["2026-11-20T10:42:07+0130", at(2026, 11, 20, 9, 12, 7)],
    ["2026-11-20T10:42:07-08", at(2026, 11, 20, 18, 42, 7)],
    ["2024-02-29T00:00:00Z", at(2024, 2, 29)],
    ["Tue, 1 Feb 2000 00:00:00 +0000", at(2000, 2)],
    ["01 Feb 2000 01:30 +0130", at(2000, 2)],
    ["Tue, 01 Feb 2000 00:00:00 GMT", at(2000, 2)],
    ["tue, 01 feb 2000 00:00:00 -0800 (PST)", at(2000, 2, 1, 8)],
    ["31 Jan 2000 19:00:00 EST", at(2000, 2)],
    ["1 Feb 2000 01:00:00 0100", at(2000, 2)],
    ["0001-01-01T00:00:00Z", new Date("0001-01-01T00:00:00Z").getTime()],
    ["0", 0],
    ["-1", -1],
    ["8640000000000000", 8.64e15],
  ])("parses %s", (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  test("keeps fractions of a millisecond", () => {
    const coarse = parseInstant("2026-11-20T10:42:07.975Z") ?? Number.NaN;
    expect(parseInstant("2026-11-20T10:42:07.9751234Z")).toBeGreaterThan(coarse);
    expect(parseInstant("2026-11-20T10:42:07.975999999Z")).toBeLessThan(coarse + 1);
  });
});

describe("invalid instants", () => {
  test.each([
    ["", "nothing"],
    ["yesterday", "words"],
    ["2026-02-29T00:00:00Z", "a day that the year does not have"],
    ["2026-04-31", "a day that the month does not have"],
    ["2026-13-01", "a thirteenth month"],
    ["2026-00-10", "a month before the first"],
    ["2026-11-20T24:00:00Z", "an hour past the last"],
    ["2026-11-20T10:60:00Z", "a minute past the last"],
    ["2026-11-20T10:42:60Z", "a second past the last"],
    ["2026-11-20T10:42:07.1234567890Z", "ten fraction digits"],
    ["2026-11-20T10:42:07.Z", "no fraction digit"],
    ["2026-11-20T10:42:07+24:00", "an offset past the last"],
    ["2026-11-20T10:42:07+5", "half an offset"],
    ["2026-11-20Z", "an offset without a time"],
    ["20261120T104207Z", "the basic form"],
    ["2026-11-20T10:42:07Zjunk", "something behind it"],
    ["8640000000000001", "milliseconds past the last"],
    ["1e12", "an exponent"],
    ["Tue, 30 Feb 2000 00:00:00 +0000", "a day that the month does not have"],
    ["Tue Feb 01 2000", "a script's date without a time"],
    ["Tue, 1 Feb 2000 00:00:00", "RFC 5322 without a zone"],
    ["Tue, 1 Feb 2000 00:00:00 XYZ", "an unknown zone"],
    ["Tue Feb 01 2000 00:00:00 GMT+0000 (a", "an open comment"],
    ["1767225600000.5", "half a millisecond"],
    ["٢٠٢٦-11-20", "other digits"],
  ])("rejects %j, which is %s", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe("properties", () => {
  const instants = fc.date({ min: new Date(at(1)), max: new Date(at(9999)), noInvalidDate: true });

  test("restores every date from ISO 8601, with any offset", () => {
    const offsets = fc.integer({ min: -23 * 60, max: 23 * 60 });
    fc.assert(
      fc.property(
        fc.date({ min: new Date(at(2)), max: new Date(at(9998)), noInvalidDate: true }),
        offsets,
        (date, offset) => {
          const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
          const size = Math.abs(offset);
          const clock = [Math.trunc(size / 60), size % 60].map((part) => String(part).padStart(2, "0")).join(":");
          expect(parseInstant(`${local}${offset < 0 ? "-" : "+"}${clock}`)).toBe(date.getTime());
        },
      ),
    );
  });

  test("restores every date from epoch milliseconds", () => {
    fc.assert(
      fc.property(instants, (date) => {
        expect(parseInstant(String(date.getTime()))).toBe(date.getTime());
      }),
    );
  });

  test("parses what Date.prototype.toString and toUTCString write", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(at(1000)), max: new Date(at(9998)), noInvalidDate: true }), (date) => {
        const whole = Math.floor(date.getTime() / 1000) * 1000;
        expect([parseInstant(date.toString()), parseInstant(date.toUTCString())]).toEqual([whole, whole]);
      }),
    );
  });

  test("returns a finite number or undefined for any text", () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[\d:TZ+. -]{0,40}$/));
    fc.assert(
      fc.property(texts, (text) => {
        const instant = parseInstant(text);
        expect(instant === undefined || Number.isFinite(instant)).toBe(true);
      }),
    );
  });
});

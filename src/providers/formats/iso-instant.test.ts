import { expect, test } from "vitest";
import { readIsoInstant } from "./iso-instant.ts";

test.each([
  ["2026-11-22", "2026-11-22T00:00:00.000Z"],
  ["2026-11-22T10:30", "2026-11-22T10:30:00.000Z"],
  ["2026-11-22 10:30:15", "2026-11-22T10:30:15.000Z"],
  ["2026-11-22T10:30:15Z", "2026-11-22T10:30:15.000Z"],
  ["2026-11-22T10:30:15.250+02:00", "2026-11-22T08:30:15.250Z"],
  ["2026-11-22 10:30-0130", "2026-11-22T12:00:00.000Z"],
])("readIsoInstant reads %s", (text, expected) => {
  expect(new Date(readIsoInstant(text) ?? Number.NaN).toISOString()).toBe(expected);
});

test.each(["", "2026-13-01", "2026-11-22T25:00", "2026-11-22T", "2026-11-22Z", "22 Nov 2026", "2026-11-22t10:30z"])(
  "readIsoInstant returns undefined for %j",
  (text) => {
    expect(readIsoInstant(text)).toBeUndefined();
  },
);

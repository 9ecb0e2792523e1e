import { expect, test } from "vitest";
import { dayOf } from "./server.ts";
import { monthBefore, monthOf, parseMonth } from "./usage.ts";

test("a month has its days in UTC, also in a leap year", () => {
  expect(monthOf(Date.UTC(2028, 1, 29, 23, 59))).toEqual({
    name: "2028-02",
    firstDay: dayOf(Date.UTC(2028, 1, 1)),
    endDay: dayOf(Date.UTC(2028, 2, 1)),
  });
  expect(monthBefore(monthOf(Date.UTC(2027, 0, 31))).name).toBe("2026-12");
});

test("a month is parsed from its name alone", () => {
  expect(parseMonth("2026-11")).toEqual(monthOf(Date.UTC(2026, 10, 30)));
  expect(parseMonth("1970-01")?.firstDay).toBe(0);
  expect(parseMonth("9998-12")?.name).toBe("9998-12");
  for (const name of [
    "",
    "2026",
    "2026-0",
    "2026-00",
    "2026-13",
    "2026-1",
    "1969-12",
    "9999-01",
    " 2026-11",
    "2026-11-01",
  ])
    expect([name, parseMonth(name)]).toEqual([name, undefined]);
});

import { describe, expect, test } from "vitest";
import { callbackPausesMsMax, nextCallbackAt, parseRetryAfter } from "./callback-schedule.ts";

const hour = 3_600_000;
const failed = { step: 1, attemptsMax: null, failedAt: 1000, retryAfterMs: null } as const;
const pauses = { firstPauseMs: 5000, random: 0.5 } as const;

describe("nextCallbackAt", () => {
  test("follows the schedule of Standard Webhooks and ends after the tenth attempt", () => {
    const times = Array.from({ length: 10 }, (_, index) =>
      nextCallbackAt({ ...failed, step: index + 1, failedAt: 0 }, pauses),
    );
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour);
    expect(times).toEqual([5000, 300_000, 1_800_000, ...hours, null]);
  });

  test("spreads pauses by a fifth in both directions", () => {
    expect(nextCallbackAt(failed, { ...pauses, random: 0 })).toBe(5000);
    expect(nextCallbackAt(failed, { ...pauses, random: 1 })).toBe(7000);
  });

  test("ends after attemptsMax attempts, and repeats the last pause when there are more than ten", () => {
    expect(nextCallbackAt({ ...failed, attemptsMax: 1 }, pauses)).toBeNull();
    expect(nextCallbackAt({ ...failed, step: 11, attemptsMax: 12 }, pauses)).toBe(1000 + 24 * hour);
    expect(nextCallbackAt({ ...failed, step: 12, attemptsMax: 12 }, pauses)).toBeNull();
  });

  test("waits for as long as the receiver asked, at most 24 hours", () => {
    expect(nextCallbackAt({ ...failed, retryAfterMs: 90_000 }, pauses)).toBe(91_000);
    expect(nextCallbackAt({ ...failed, retryAfterMs: 1 }, pauses)).toBe(6000);
    expect(nextCallbackAt({ ...failed, retryAfterMs: 99 * hour }, pauses)).toBe(1000 + 24 * hour);
  });

  test("shortens all pauses in proportion to a shorter first pause", () => {
    const short = { firstPauseMs: 50, random: 0.5 };
    expect(nextCallbackAt({ ...failed, step: 2 }, short)).toBe(1000 + 3000);
    expect(callbackPausesMsMax(50).slice(0, 3)).toEqual([null, 60, 3600]);
  });
});

test.each([
  [undefined, null],
  ["120", 120_000],
  [" 7 ", 7000],
  ["0", null],
  ["-5", null],
  ["soon", null],
  ["999999999", 24 * hour],
  ["Thu, 01 Jan 1970 00:01:00 GMT", 60_000],
  ["Wed, 31 Dec 1969 00:00:00 GMT", null],
])("parseRetryAfter reads %s as %s", (value, pauseMs) => {
  expect(parseRetryAfter(value, 0)).toBe(pauseMs);
});

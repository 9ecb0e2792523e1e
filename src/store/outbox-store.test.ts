import fc from "fast-check";
import { expect, test } from "vitest";
import { Problem } from "../core/errors.ts";
import { spendAllowance, type OutboundWindow } from "./outbox-store.ts";

const hourMs = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const none: OutboundWindow = { startedAt: 0, count: 0 };

function refusalOf(window: OutboundWindow, countMax: number, ...[at, count = 1]: [number, number?]): Problem {
  try {
    spendAllowance(window, { countMax, now: at }, count);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error("nothing was refused");
}

test("takes up to the bound within an hour, and nothing of what goes past it", () => {
  const two = spendAllowance(none, { countMax: 3, now }, 2);
  expect(two).toEqual({ startedAt: now, count: 2 });
  expect(refusalOf(two, 3, now, 2)).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 3600 });
  const full = spendAllowance(two, { countMax: 3, now: now + 1 }, 1);
  expect(full).toEqual({ startedAt: now, count: 3 });
  expect(refusalOf(full, 3, now + hourMs - 999)).toMatchObject({ retryAfterSeconds: 1 });
  expect(refusalOf(full, 3, now + hourMs - 1).message).toContain("At most 3 deliveries");
  expect(spendAllowance(full, { countMax: 3, now: now + hourMs }, 3)).toEqual({ startedAt: now + hourMs, count: 3 });
});

test("a request of nothing is never refused and begins no window", () => {
  expect(spendAllowance(none, { countMax: 0, now }, 0)).toBe(none);
  expect(refusalOf(none, 0, now).code).toBe("too_many_requests");
});

test("a node whose clock is behind counts along; a clock set back by an hour does not lock anybody out", () => {
  const full = spendAllowance(none, { countMax: 1, now }, 1);
  expect(refusalOf(full, 1, now - 5000)).toMatchObject({ retryAfterSeconds: 3605 });
  expect(spendAllowance(full, { countMax: 1, now: now - hourMs }, 1)).toEqual({ startedAt: now - hourMs, count: 1 });
});

test("an hour that begins with an entry never exceeds the limit, whatever is requested", () => {
  const asks = fc.array(fc.record({ pauseMs: fc.nat(hourMs), count: fc.nat(6) }), { maxLength: 60 });
  fc.assert(
    fc.property(asks, fc.nat(10), (list, countMax) => {
      let window = none;
      let at = now;
      for (const { pauseMs, count } of list) {
        at += pauseMs;
        try {
          window = spendAllowance(window, { countMax, now: at }, count);
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          expect((at - window.startedAt < hourMs ? window.count : 0) + count).toBeGreaterThan(countMax);
        }
        expect(window.count).toBeLessThanOrEqual(countMax);
      }
    }),
  );
});

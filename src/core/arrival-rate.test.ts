import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { watchArrival } from "./arrival-rate.ts";

describe("watchArrival", () => {
  const rule = { periodMs: 1000, bytesMin: 10 };

  /** Returns the period after which the input was too slow, or undefined; `periods` has the bytes of each. */
  const tooSlowAfter = (periods: readonly number[]): number | undefined => {
    const clock = new FakeClock();
    let bytes = 5;
    let found: number | undefined;
    let period = 0;
    const stop = watchArrival(clock, rule, { bytesArrived: () => bytes, onTooSlow: () => (found ??= period) });
    for (const arrived of periods) {
      period += 1;
      bytes += arrived;
      clock.advance(rule.periodMs);
    }
    stop();
    clock.advance(10 * rule.periodMs);
    return found;
  };

  test.each([
    [[0], 1],
    [[9], 1],
    [[10, 10, 10], undefined],
    [[1000, 9], 2],
    [[10, 10, 0], 3],
  ])("reports the first slow period among %j: %s", (periods, expected) => {
    expect(tooSlowAfter(periods)).toBe(expected);
  });

  test("reports at most once, and nothing after it was stopped", () => {
    const clock = new FakeClock();
    let count = 0;
    const stop = watchArrival(clock, rule, { bytesArrived: () => 0, onTooSlow: () => (count += 1) });
    clock.advance(5 * rule.periodMs);
    expect(count).toBe(1);
    stop();
    watchArrival(clock, rule, { bytesArrived: () => 0, onTooSlow: () => (count += 1) })();
    clock.advance(5 * rule.periodMs);
    expect(count).toBe(1);
  });
});

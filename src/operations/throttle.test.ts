import { describe, expect, test } from "vitest";
import type { Problem } from "../core/errors.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { createThrottle } from "./throttle.ts";

function refusalOf(action: () => void): Problem | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

describe("the throttle", () => {
  test("lets a subject fail as often as is allowed, and refuses it from then on", () => {
    const throttle = createThrottle(new FakeClock(), 2);
    throttle.recordFailure("a");
    expect(refusalOf(() => throttle.check("a"))).toBeUndefined();
    throttle.recordFailure("a");
    expect(refusalOf(() => throttle.check("a"))?.code).toBe("too_many_requests");
    expect(refusalOf(() => throttle.check("b"))).toBeUndefined();
  });

  test("says how long to wait, and lets the subject in again after that", () => {
    const clock = new FakeClock();
    const throttle = createThrottle(clock, 1);
    throttle.recordFailure("a");
    clock.advance(20_500);
    expect(refusalOf(() => throttle.check("a"))?.retryAfterSeconds).toBe(40);
    clock.advance(39_500);
    expect(refusalOf(() => throttle.check("a"))).toBeUndefined();
  });

  test("keeps what was right before from being shut out, for its own subject only", () => {
    const throttle = createThrottle(new FakeClock(), 1);
    throttle.recordSuccess("a", "hash");
    expect(throttle.hasSucceeded("a", "hash")).toBe(true);
    expect(throttle.hasSucceeded("b", "hash")).toBe(false);
    expect(throttle.hasSucceeded("a", "other")).toBe(false);
  });

  test("remembers a bounded number of subjects, forgetting the oldest window first", () => {
    const throttle = createThrottle(new FakeClock(), 1);
    for (let subject = 0; subject <= 10_000; subject += 1) throttle.recordFailure(String(subject));
    expect(refusalOf(() => throttle.check("0"))).toBeUndefined();
    expect(refusalOf(() => throttle.check("10000"))?.code).toBe("too_many_requests");
  });
});

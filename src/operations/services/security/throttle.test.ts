import { describe, expect, test } from "vitest";
import type { Problem } from "../../../core/errors.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createThrottle, judge, lookFactor, subjectOf, type Throttle } from "./throttle.ts";

function refusalOf(action: () => void): Problem | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

describe("the throttle", () => {
  test("rejects a subject after the allowed number of failures", () => {
    const throttle = createThrottle(new FakeClock(), 2);
    throttle.recordFailure("a");
    expect(refusalOf(() => throttle.check("a"))).toBeUndefined();
    throttle.recordFailure("a");
    expect(refusalOf(() => throttle.check("a"))?.code).toBe("too_many_requests");
    expect(refusalOf(() => throttle.check("b"))).toBeUndefined();
  });

  test("reports the seconds to wait, and accepts the subject after them", () => {
    const clock = new FakeClock();
    const throttle = createThrottle(clock, 1);
    throttle.recordFailure("a");
    clock.advance(20_500);
    expect(refusalOf(() => throttle.check("a"))?.retryAfterSeconds).toBe(40);
    clock.advance(39_500);
    expect(refusalOf(() => throttle.check("a"))).toBeUndefined();
  });

  test.each([-7_200_000, 3_600_000])("keeps its window when the wall clock steps by %d ms", (step) => {
    const clock = new FakeClock();
    const throttle = createThrottle(clock, 1);
    throttle.recordFailure("a");
    clock.stepWall(step);
    expect(refusalOf(() => throttle.check("a"))?.retryAfterSeconds).toBe(60);
    clock.advance(60_000);
    expect(refusalOf(() => throttle.check("a"))).toBeUndefined();
  });

  test("accepts secrets that were correct before, for their own subject only", () => {
    const throttle = createThrottle(new FakeClock(), 1);
    throttle.recordSuccess("a", "hash");
    expect(throttle.hasSucceeded("a", "hash")).toBe(true);
    expect(throttle.hasSucceeded("b", "hash")).toBe(false);
    expect(throttle.hasSucceeded("a", "other")).toBe(false);
  });

  test("tracks a limited number of subjects and evicts the oldest window first", () => {
    const throttle = createThrottle(new FakeClock(), 1);
    for (let subject = 0; subject <= 10_000; subject += 1) throttle.recordFailure(String(subject));
    expect(refusalOf(() => throttle.check("0"))).toBeUndefined();
    expect(refusalOf(() => throttle.check("10000"))?.code).toBe("too_many_requests");
  });
});

describe("the subject of an address", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "20010db800010002/64"],
    ["2001:db8:1:2::9", "20010db800010002/64"],
    ["2001:db8:1:3::9", "20010db800010003/64"],
    ["nonsense", "nonsense"],
  ])("%s is %s", (address, subject) => {
    expect(subjectOf(address)).toBe(subject);
  });
});

describe("checking secrets from one address", () => {
  const limit = 3;
  const outcomeOf = async (throttle: Throttle, hash: string): Promise<unknown> => {
    try {
      const look = async (): Promise<string | undefined> => (hash.startsWith("right") ? "in" : undefined);
      return (await judge(throttle, { subjects: ["proxy"], hash }, look)) ?? "wrong";
    } catch (error) {
      return (error as Problem).code;
    }
  };

  test("accepts a correct secret after any number of wrong ones, also the first time", async () => {
    const throttle = createThrottle(new FakeClock(), limit);
    for (let count = 0; count < limit; count += 1) expect(await outcomeOf(throttle, "wrong")).toBe("wrong");
    for (let count = 0; count < 1000; count += 1) expect(await outcomeOf(throttle, "wrong")).toBe("too_many_requests");
    expect(await outcomeOf(throttle, "right")).toBe("in");
  });

  test("limits the number of different secrets that are looked up within a minute", async () => {
    const clock = new FakeClock();
    const throttle = createThrottle(clock, limit);
    expect(await outcomeOf(throttle, "right before")).toBe("in");
    for (let count = 0; count < limit * (lookFactor + 1); count += 1) await outcomeOf(throttle, `guess ${count}`);
    expect(await outcomeOf(throttle, "right")).toBe("too_many_requests");
    expect(await outcomeOf(throttle, "right before")).toBe("in");
    clock.advance(60_000);
    expect(await outcomeOf(throttle, "right")).toBe("in");
  });

  test("counts failures of the other subjects from any address", async () => {
    const throttle = createThrottle(new FakeClock(), limit);
    const attempt = async (address: string): Promise<unknown> =>
      judge(throttle, { subjects: [address, "server a"], hash: address }, async () => undefined).catch(
        (error: unknown) => (error as Problem).code,
      );
    for (const address of ["1", "2", "3"]) expect(await attempt(address)).toBeUndefined();
    expect(await attempt("4")).toBe("too_many_requests");
  });
});

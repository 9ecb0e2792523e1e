import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { createLeavingQuota } from "./leaving-quota.ts";

test("takes up to the bound within an hour, and nothing of what goes past it", () => {
  const clock = new FakeClock();
  const quota = createLeavingQuota(clock, 3);
  quota.take(2);
  expect(() => {
    quota.take(2);
  }).toThrow("At most 3 deliveries");
  quota.take(1);
  clock.advance(3_599_001);
  let refusal: unknown;
  try {
    quota.take(1);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 1 });
  clock.advance(999);
  quota.take(3);
});

test("what takes nothing is never refused", () => {
  const quota = createLeavingQuota(new FakeClock(), 0);
  quota.take(0);
  expect(() => {
    quota.take(1);
  }).toThrow("At most 0 deliveries");
});

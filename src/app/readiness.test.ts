import { expect, test, vi } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { createReadiness } from "./readiness.ts";

const healthy = { check: () => Promise.resolve() };

test("is not ready before the listeners open or while they close", async () => {
  const readiness = createReadiness(healthy, new FakeClock());
  expect(await readiness.isReady()).toBe(false);
  readiness.setOpen(true);
  expect(await readiness.isReady()).toBe(true);
  readiness.setOpen(false);
  expect(await readiness.isReady()).toBe(false);
});

test("is not ready when the store fails", async () => {
  const readiness = createReadiness({ check: () => Promise.reject(new Error("no room")) }, new FakeClock());
  readiness.setOpen(true);
  expect(await readiness.isReady()).toBe(false);
});

test("is not ready when the store does not respond within two seconds", async () => {
  const clock = new FakeClock();
  const readiness = createReadiness({ check: () => new Promise(() => undefined) }, clock);
  readiness.setOpen(true);
  const answer = readiness.isReady();
  clock.advance(2000);
  expect(await answer).toBe(false);
});

test("leaves no timer behind after a check", async () => {
  const clock = new FakeClock();
  const readiness = createReadiness(healthy, clock);
  readiness.setOpen(true);
  await readiness.isReady();
  expect(clock.appointmentCount).toBe(0);
});

test("is not ready when the service stops during the check", async () => {
  const store = Promise.withResolvers<void>();
  const readiness = createReadiness({ check: () => store.promise }, new FakeClock());
  readiness.setOpen(true);
  const answer = readiness.isReady();
  readiness.setOpen(false);
  store.resolve();
  expect(await answer).toBe(false);
});

test("checks the store once in 250 ms for any number of callers", async () => {
  const clock = new FakeClock();
  const store = { check: vi.fn(() => Promise.resolve()) };
  const readiness = createReadiness(store, clock);
  readiness.setOpen(true);
  expect(await Promise.all(Array.from({ length: 50 }, () => readiness.isReady()))).not.toContain(false);
  clock.advance(249);
  await readiness.isReady();
  expect(store.check).toHaveBeenCalledTimes(1);
  clock.advance(1);
  store.check.mockRejectedValueOnce(new Error("gone"));
  expect(await readiness.isReady()).toBe(false);
  clock.advance(250);
  expect(await readiness.isReady()).toBe(true);
});

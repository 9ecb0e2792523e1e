import { expect, test, vi } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { createReadiness } from "./readiness.ts";

const healthy = { check: () => Promise.resolve() };

test("nothing is ready before the doors are open, nor when they are about to close", async () => {
  const readiness = createReadiness(healthy, new FakeClock());
  expect(await readiness.isReady()).toBe(false);
  readiness.setOpen(true);
  expect(await readiness.isReady()).toBe(true);
  readiness.setOpen(false);
  expect(await readiness.isReady()).toBe(false);
});

test("a store that fails makes the service unready", async () => {
  const readiness = createReadiness({ check: () => Promise.reject(new Error("no room")) }, new FakeClock());
  readiness.setOpen(true);
  expect(await readiness.isReady()).toBe(false);
});

test("a store that does not answer makes the service unready after two seconds", async () => {
  const clock = new FakeClock();
  const readiness = createReadiness({ check: () => new Promise(() => undefined) }, clock);
  readiness.setOpen(true);
  const answer = readiness.isReady();
  clock.advance(2000);
  expect(await answer).toBe(false);
});

test("an answered check leaves no timer behind", async () => {
  const clock = new FakeClock();
  const readiness = createReadiness(healthy, clock);
  readiness.setOpen(true);
  await readiness.isReady();
  expect(clock.appointmentCount).toBe(0);
});

test("a service that closes while the store is asked is not ready", async () => {
  const store = Promise.withResolvers<void>();
  const readiness = createReadiness({ check: () => store.promise }, new FakeClock());
  readiness.setOpen(true);
  const answer = readiness.isReady();
  readiness.setOpen(false);
  store.resolve();
  expect(await answer).toBe(false);
});

test("however many ask, the store is asked once in a quarter of a second", async () => {
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

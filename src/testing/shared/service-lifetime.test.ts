import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../fake-clock.ts";
import { isRunning, lingerMsMax, ServiceLifetime } from "./service-lifetime.ts";

describe("ServiceLifetime", () => {
  const [runner, other] = [101, 102];
  let clock: FakeClock;
  let running: Set<number>;
  let endCount: number;
  let lifetime: ServiceLifetime;

  beforeEach(() => {
    clock = new FakeClock();
    running = new Set([runner, other]);
    endCount = 0;
    const onEnd = (): void => void (endCount += 1);
    lifetime = new ServiceLifetime(runner, { clock, isRunning: (pid) => running.has(pid), onEnd });
  });

  test("ends when no caller comes", () => {
    clock.advance(lingerMsMax - 1);
    expect(endCount).toBe(0);
    clock.advance(lingerMsMax);
    expect([endCount, clock.appointmentCount]).toEqual([1, 0]);
  });

  test("ends when the test runner exits before the first caller", () => {
    running.delete(runner);
    clock.advance(250);
    expect(endCount).toBe(1);
  });

  test("continues as long as there is a caller, also without its test runner", () => {
    const [remove, removeOther] = [lifetime.add(runner), lifetime.add(other)];
    running.clear();
    clock.advance(10 * lingerMsMax);
    remove();
    clock.advance(10 * lingerMsMax);
    expect(endCount).toBe(0);
    removeOther();
    expect(endCount).toBe(1);
  });

  test("waits between two callers of a test runner", () => {
    lifetime.add(runner)();
    clock.advance(lingerMsMax - 1);
    lifetime.add(runner)();
    clock.advance(lingerMsMax - 1);
    expect(endCount).toBe(0);
    clock.advance(1);
    expect(endCount).toBe(1);
  });

  test("ends after the last caller when every test runner has exited", () => {
    lifetime.add(runner)();
    lifetime.add(other)();
    running.delete(runner);
    clock.advance(1000);
    expect(endCount).toBe(0);
    running.delete(other);
    clock.advance(250);
    expect(endCount).toBe(1);
  });
});

test("recognises a running process", () => {
  expect(isRunning(process.pid)).toBe(true);
  // The largest process id of Linux is 2^22.
  expect(isRunning(2 ** 30)).toBe(false);
});

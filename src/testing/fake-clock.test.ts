import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";

describe("a fake clock", () => {
  test("does not advance by itself", () => {
    const clock = new FakeClock(1000);
    expect(clock.now()).toBe(1000);
    clock.advance(5);
    expect(clock.now()).toBe(1005);
  });

  test("calls due timers in order of time, each at its own instant, including timers set by actions", () => {
    const clock = new FakeClock(0);
    const calls: [string, number][] = [];
    const note = (name: string) => () => {
      calls.push([name, clock.now()]);
    };
    clock.after(30, note("late"));
    clock.after(10, () => {
      note("early")();
      clock.after(5, note("asked on the way"));
      clock.after(100, note("beyond"));
    });
    clock.after(10, note("same instant"));
    clock.advance(30);
    expect(calls).toEqual([
      ["early", 10],
      ["same instant", 10],
      ["asked on the way", 15],
      ["late", 30],
    ]);
    expect(clock.appointmentCount).toBe(1);
  });

  test("calls each timer once, and no cancelled ones", () => {
    const clock = new FakeClock();
    let calls = 0;
    const count = (): void => {
      calls += 1;
    };
    const cancel = clock.after(10, count);
    clock.after(10, count);
    cancel();
    cancel();
    clock.advance(10);
    clock.advance(10);
    expect(calls).toBe(1);
  });
});

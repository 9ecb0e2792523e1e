import type { Clock } from "../core/clock.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves time on, calling what falls due on the way, in order of time. */
  advance(ms: number): void;
}

/** A clock that shows `startMs` until it is moved. */
export function createManualClock(startMs: number): ManualClock {
  let now = startMs;
  let timers: { readonly dueAt: number; readonly action: () => void }[] = [];
  const nextDue = (endMs: number): (typeof timers)[number] | undefined =>
    timers.filter((timer) => timer.dueAt <= endMs).toSorted((a, b) => a.dueAt - b.dueAt)[0];
  return {
    now: () => now,
    after(delayMs, action) {
      const timer = { dueAt: now + delayMs, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const endMs = now + ms;
      for (let due = nextDue(endMs); due !== undefined; due = nextDue(endMs)) {
        const current = due;
        timers = timers.filter((other) => other !== current);
        now = current.dueAt;
        current.action();
      }
      now = endMs;
    },
  };
}

import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";

/** Counts failures per subject (an address) within the running minute. */
export interface Throttle {
  /** Throws `too_many_requests` with the seconds to wait when the subject has failed too often. */
  check(subject: string): void;
  recordFailure(subject: string): void;
}

const windowMs = 60_000;
const subjectCountMax = 10_000;

/**
 * A throttle with a fixed window of one minute. It remembers at most 10,000 subjects; beyond that the oldest window is
 * forgotten first, so that a flood of addresses costs bounded memory.
 */
export function createThrottle(clock: Pick<Clock, "now">, failureCountPerMinuteMax: number): Throttle {
  const windows = new Map<string, { startedAt: number; failures: number }>();
  const current = (subject: string): { startedAt: number; failures: number } | undefined => {
    const window = windows.get(subject);
    if (window === undefined || clock.now() - window.startedAt < windowMs) return window;
    windows.delete(subject);
    return undefined;
  };
  return {
    check(subject) {
      const window = current(subject);
      if (window === undefined || window.failures < failureCountPerMinuteMax) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((window.startedAt + windowMs - clock.now()) / 1000));
      throw new Problem("too_many_requests", { retryAfterSeconds });
    },
    recordFailure(subject) {
      const window = current(subject);
      if (window !== undefined) {
        window.failures += 1;
        return;
      }
      if (windows.size >= subjectCountMax) windows.delete(windows.keys().next().value ?? "");
      windows.set(subject, { startedAt: clock.now(), failures: 1 });
    },
  };
}

import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";

/** Counts failures per subject (an address) within the running minute. */
export interface Throttle {
  /** Throws `too_many_requests` with the seconds to wait when the subject has failed too often. */
  check(subject: string): void;
  recordFailure(subject: string): void;
  /** Remembers a secret (by its hash) as right for the subject: others' failures no longer keep it out. */
  recordSuccess(subject: string, hash: string): void;
  /** Whether the secret was right for the subject before. */
  hasSucceeded(subject: string, hash: string): boolean;
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
  const successes = new Set<string>();
  return {
    hasSucceeded: (subject, hash) => successes.has(`${subject} ${hash}`),
    recordSuccess(subject, hash) {
      if (successes.size >= subjectCountMax) successes.delete(successes.keys().next().value ?? "");
      successes.add(`${subject} ${hash}`);
    },
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

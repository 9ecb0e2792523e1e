/** Suppression of repeated log lines: one a minute for each key, with the number of those between. */
import type { Clock } from "../../core/clock.ts";

/** Shortest time between two lines with the same key. */
const pauseMs = 60_000;
/** Keys that are remembered; the one without lines for the longest time is forgotten first. */
const keyCountMax = 2000;

interface LastLine {
  /** Monotonic milliseconds. */
  readonly loggedAt: number;
  readonly suppressedCount: number;
}

/**
 * Returns a function that is called for each line and returns how many lines with the same key were suppressed since the
 * last one; null when this one is to be suppressed too.
 */
export function createSuppression<Key = string>(clock: Pick<Clock, "monotonicMs">): (key: Key) => number | null {
  const lastLines = new Map<Key, LastLine>();
  return (key) => {
    const now = clock.monotonicMs();
    const last = lastLines.get(key) ?? { loggedAt: -Infinity, suppressedCount: 0 };
    const isSuppressed = now - last.loggedAt < pauseMs;
    lastLines.delete(key);
    lastLines.set(
      key,
      isSuppressed ? { ...last, suppressedCount: last.suppressedCount + 1 } : { loggedAt: now, suppressedCount: 0 },
    );
    if (lastLines.size > keyCountMax) {
      const { value: oldest } = lastLines.keys().next();
      if (oldest !== undefined) lastLines.delete(oldest);
    }
    return isSuppressed ? null : last.suppressedCount;
  };
}

/** Returns fields with `suppressedCount` unless it is 0. */
export function withSuppressed<Fields extends object>(
  fields: Fields,
  suppressedCount: number,
): Fields | (Fields & { readonly suppressedCount: number }) {
  return suppressedCount === 0 ? fields : { ...fields, suppressedCount };
}

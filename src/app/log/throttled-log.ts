import type { Clock } from "../../core/clock.ts";
import { isDescriptorShortage } from "../../core/process-resources.ts";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { Log, OpenLog } from "./log.ts";

// Suppression of repeated log lines: one a minute for each key, with the number of those between.

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

/**
 * Returns a function that logs the first line of a key at a level and then one a minute with `suppressedCount`, the number of
 * those between, which it logs at level debug.
 */
export function createRepeatLog(
  log: Log,
  clock: Pick<Clock, "monotonicMs">,
  level: "info" | "warn" | "error",
): (key: string, fields: Readonly<Record<string, unknown>>, message: string) => void {
  const suppressedBefore = createSuppression(clock);
  return (key, fields, message) => {
    const suppressedCount = suppressedBefore(key);
    if (suppressedCount === null) log.debug(fields, message);
    else log[level](withSuppressed(fields, suppressedCount), message);
  };
}

/** Errors that every request and background task gets while the store is unreachable or full. */
const floodCodes: ReadonlySet<string> = new Set<ProblemCode>(["unavailable", "storage_full"]);

/**
 * Returns a log that writes errors of an unavailable or full store, and of exhausted file descriptors, once a minute instead
 * of once per request: one line per code and minute, with `suppressedCount`, the number of lines dropped since the previous
 * one. Full servers are logged as information.
 */
export function throttledLog(log: OpenLog, clock: Pick<Clock, "monotonicMs">): OpenLog {
  const suppressedBefore = createSuppression(clock);
  const error: Log["error"] = (fields, message) => {
    if (isOfOwner(fields["err"])) {
      log.info(fields, message);
      return;
    }
    const code = floodCodeOf(fields["err"]);
    if (code === undefined) {
      log.error(fields, message);
      return;
    }
    const suppressedCount = suppressedBefore(code);
    if (suppressedCount !== null) log.error(withSuppressed(fields, suppressedCount), message);
  };
  return { ...log, error };
}

/** Returns whether an error concerns the owner of a server, who gets it as a response, and not the operator. */
function isOfOwner(error: unknown): boolean {
  return error instanceof Problem && error.code === "quota_exceeded";
}

/** Returns the code of an error that may come in floods; undefined for others. */
function floodCodeOf(error: unknown): string | undefined {
  if (error instanceof Problem && floodCodes.has(error.code)) return error.code;
  return isDescriptorShortage(error) ? "descriptors" : undefined;
}

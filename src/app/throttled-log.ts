import type { Clock } from "../core/clock.ts";
import { Problem, type ProblemCode } from "../core/errors.ts";
import type { Log, OpenLog } from "./log.ts";

/** Errors that every request and background task gets while the store is unreachable or full. */
const floodCodes: ReadonlySet<ProblemCode> = new Set(["unavailable", "storage_full"]);
/** Shortest time between two lines about one of these errors. */
const pauseMs = 60_000;

interface Flood {
  /** Monotonic milliseconds. */
  readonly loggedAt: number;
  readonly suppressedCount: number;
}

/**
 * Returns a log that writes errors of an unavailable or full store once a minute instead of once per request: one line per
 * {@link Problem} code and minute, with `suppressedCount`, the number of lines dropped since the previous one.
 */
export function throttledLog(log: OpenLog, clock: Pick<Clock, "monotonicMs">): OpenLog {
  const floods = new Map<ProblemCode, Flood>();
  const error: Log["error"] = (fields, message) => {
    const { err } = fields;
    if (!(err instanceof Problem) || !floodCodes.has(err.code)) {
      log.error(fields, message);
      return;
    }
    const now = clock.monotonicMs();
    const { loggedAt, suppressedCount } = floods.get(err.code) ?? { loggedAt: -Infinity, suppressedCount: 0 };
    if (now - loggedAt < pauseMs) {
      floods.set(err.code, { loggedAt, suppressedCount: suppressedCount + 1 });
      return;
    }
    floods.set(err.code, { loggedAt: now, suppressedCount: 0 });
    log.error(suppressedCount === 0 ? fields : { ...fields, suppressedCount }, message);
  };
  return { ...log, error };
}

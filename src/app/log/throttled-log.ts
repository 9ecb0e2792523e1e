import type { Clock } from "../../core/clock.ts";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { Log, OpenLog } from "./log.ts";
import { createSuppression, withSuppressed } from "./suppressed-lines.ts";

/** Errors that every request and background task gets while the store is unreachable or full. */
const floodCodes: ReadonlySet<ProblemCode> = new Set(["unavailable", "storage_full"]);

/**
 * Returns a log that writes errors of an unavailable or full store once a minute instead of once per request: one line per
 * {@link Problem} code and minute, with `suppressedCount`, the number of lines dropped since the previous one.
 */
export function throttledLog(log: OpenLog, clock: Pick<Clock, "monotonicMs">): OpenLog {
  const suppressedBefore = createSuppression<ProblemCode>(clock);
  const error: Log["error"] = (fields, message) => {
    const { err } = fields;
    if (!(err instanceof Problem) || !floodCodes.has(err.code)) {
      log.error(fields, message);
      return;
    }
    const suppressedCount = suppressedBefore(err.code);
    if (suppressedCount !== null) log.error(withSuppressed(fields, suppressedCount), message);
  };
  return { ...log, error };
}

import type { Clock } from "../../core/clock.ts";
import { isDescriptorShortage } from "../../core/descriptor-shortage.ts";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { Log, OpenLog } from "./log.ts";
import { createSuppression, withSuppressed } from "./suppressed-lines.ts";

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

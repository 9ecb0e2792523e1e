import type { FaultHit } from "../core/fault.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "./log/log.ts";
import { createSuppression, withSuppressed } from "./log/suppressed-lines.ts";
import type { Metrics } from "./metrics/metrics.ts";

/** Dependencies of {@link createFaultReporter}. */
interface FaultReporterDependencies {
  readonly log: Log;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly metrics: Pick<Metrics, "faultHit">;
}

/**
 * Returns a function that counts a hit of a fault rule and logs it: the first one of a rule and then one a minute with
 * `suppressedCount`, the number of those between, which it logs at level debug.
 */
export function createFaultReporter({ log, clock, metrics }: FaultReporterDependencies): (hit: FaultHit) => void {
  const suppressedBefore = createSuppression(clock);
  return ({ server, rule, stage, action }) => {
    metrics.faultHit({ scope: server === null ? "service" : "server", stage, action });
    const fields = { server, rule, stage, action };
    const suppressedCount = suppressedBefore(JSON.stringify([server, rule]));
    if (suppressedCount === null) log.debug(fields, "fault rule applied");
    else log.info(withSuppressed(fields, suppressedCount), "fault rule applied");
  };
}

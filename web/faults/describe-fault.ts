import { pageStrings } from "../page-strings.ts";
import type { Fault, FaultRule } from "../wire.ts";

/** Returns when a rule applies: stages, comparisons and trigger. */
export function describeConditions({ match, when = {} }: FaultRule): string {
  const { stage, ...compared } = match;
  const stages = typeof stage === "string" ? stage : stage.join(", ");
  return [stages, ...Object.values(compared), describeTrigger(when)].filter((part) => part !== "").join(" · ");
}

function describeTrigger({ first, after, every, above, probability }: NonNullable<FaultRule["when"]>): string {
  const labels = pageStrings.faults.triggers;
  if (first !== undefined) return labels.first(first);
  if (after !== undefined) return labels.after(after);
  if (every !== undefined) return labels.every(every);
  if (above !== undefined) return labels.above(above.count, above.perMs);
  return probability === undefined ? "" : labels.probability(probability);
}

/** Returns the effect of a rule: its members with their values. */
export function describeEffect({ then }: FaultRule): string {
  return Object.entries(then)
    .map(([name, value]) => (value === true ? name : `${name} ${describeValue(value)}`))
    .join(", ");
}

function describeValue(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.values(value).join(" ") : String(value);
}

/** Returns a rule without its counts, as it is stored. */
export function ruleOf({ name, match, when, then, until, paused }: FaultRule): FaultRule {
  return { name, match, ...(when && { when }), then, ...(until && { until }), ...(paused === true && { paused }) };
}

/** Returns the rules of a list, one of them paused or resumed. */
export function withPaused(faults: readonly Fault[], name: string, paused: boolean): readonly FaultRule[] {
  return faults.map((one) => ruleOf(one.name === name ? { ...one, paused } : one));
}

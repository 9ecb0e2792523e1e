import { FieldCollector } from "../../core/field-collector.ts";
import {
  journeyMessageCountMax,
  journeyStepCountMax,
  journeyStepNameLengthMax,
  type Journey,
  type JourneyStep,
} from "../../core/journey.ts";

/** Returns the longest time in milliseconds that a journey can take: the time-out and all quiet times. */
export function journeyMsMax({ steps }: Journey, timeoutMs: number): number {
  return steps.reduce((sum, { quietMs }) => sum + quietMs, timeoutMs);
}

/** Throws a 400 that names every wrong field of a journey, except wrong criteria. */
export function checkJourney(journey: Journey, timeoutMs: number, waitMsMax: number): void {
  const { order, steps } = journey;
  const errors = new FieldCollector();
  if (steps.length < 1 || steps.length > journeyStepCountMax) {
    const description = `From 1 to ${String(journeyStepCountMax)} steps`;
    errors.add({ field: "steps", description, code: "out_of_range" });
  }
  for (const [position, step] of steps.entries()) {
    const wrong = stepError(step, order === "any" && position < steps.length - 1);
    if (wrong !== null) errors.add({ ...wrong, field: `steps[${String(position)}]${wrong.field}` });
  }
  if (steps.reduce((sum, { count }) => sum + count, 0) > journeyMessageCountMax) {
    const description = `The steps expect at most ${String(journeyMessageCountMax)} messages together`;
    errors.add({ field: "steps", description, code: "out_of_range" });
  }
  if (!(journeyMsMax(journey, timeoutMs) <= waitMsMax)) {
    const description = `The time-out and the quiet times are at most ${String(waitMsMax)} ms together`;
    errors.add({ field: "timeout", description, code: "out_of_range" });
  }
  errors.finish();
}

function stepError(
  { name, criteria, count, quietMs }: JourneyStep,
  isBeforeOthersInAnyOrder: boolean,
): { readonly field: string; readonly description: string; readonly code: "invalid" | "required" } | null {
  if (name !== null && name.length > journeyStepNameLengthMax) {
    const description = `At most ${String(journeyStepNameLengthMax)} characters`;
    return { field: ".name", description, code: "invalid" };
  }
  const isQuiet = quietMs > 0;
  if (quietMs < 0) return { field: ".quiet", description: "A whole number of milliseconds from 1", code: "invalid" };
  if (!isQuiet && count < 1) {
    return { field: ".count", description: "A whole number from 1, or quiet instead", code: "invalid" };
  }
  if (isQuiet && count !== 0) {
    return { field: ".count", description: "Either count or quiet, not both", code: "invalid" };
  }
  if (isQuiet && isBeforeOthersInAnyOrder) {
    const description = "In any order, only the last step can expect quiet";
    return { field: ".quiet", description, code: "invalid" };
  }
  if (!isQuiet && criteria === null) return { field: "", description: "Give at least one criterion", code: "required" };
  return null;
}

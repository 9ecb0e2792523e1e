/** All targets of fuzzing. */
import { listenerTargets } from "./listeners.ts";
import { readerTargets } from "./readers.ts";
import type { FuzzTarget } from "./target.ts";

/** Every reader of outside bytes, and every listener. */
export const fuzzTargets: readonly FuzzTarget[] = [...readerTargets, ...listenerTargets()];

/** Returns the target of a name. Throws for an unknown one. */
export function findTarget(name: string): FuzzTarget {
  const found = fuzzTargets.find((target) => target.name === name);
  if (found === undefined)
    throw new Error(`${name} is no target; targets: ${fuzzTargets.map((one) => one.name).join(", ")}`);
  return found;
}

/** Long computations in steps of some milliseconds, which run at once or in turns of the event loop. */
import { mainTurns } from "./shared-turns.ts";

/** Computation that yields between its steps and returns its result. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps in this turn of the event loop. Throws as they do. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps in turns of the event loop that they share with all other work of the main thread. Rejects as they throw. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await mainTurns.next();
  }
}

import { systemClock } from "../core/clock.ts";
import { run } from "./run.ts";

/** {@link run} with this process's environment and streams. */
export function runHere(argv: readonly string[]): Promise<number> {
  return run(argv, {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    errorColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    clock: systemClock,
  });
}

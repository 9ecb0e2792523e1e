import { systemClock } from "../core/clock.ts";
import type { Terminal } from "./command.ts";
import { run } from "./run.ts";

/** {@link run} with this process's environment and streams; the process lives until the command is done. */
export async function runHere(argv: readonly string[]): Promise<number> {
  // A command may wait for nothing but a timer of the clock, and those keep no process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await run(argv, terminalHere());
  } finally {
    clearInterval(alive);
  }
}

function terminalHere(): Terminal {
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    errorColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    clock: systemClock,
  };
}

import { systemClock } from "../core/clock.ts";
import type { Terminal } from "./command.ts";
import { run } from "./run.ts";

/** Calls {@link run} with the environment and streams of this process, and keeps the process alive until it resolves. */
export async function runHere(argv: readonly string[]): Promise<number> {
  // A command may wait for a timer of the clock only, and those do not keep the process alive.
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

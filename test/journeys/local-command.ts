/** Commands of the command line tool within the test process, which take a tenth of the CPU time of a process. */
import { run } from "../../src/cli/run.ts";
import { systemClock } from "../../src/core/clock.ts";
import { processEnvironment, type Ending, type ProcessOptions } from "../../src/testing/service-process.ts";

/**
 * Runs a command as `runCommand` does, but in this process. Not for commands that use the standard streams as files, and not
 * for tests of the process itself, such as those that show that it exits.
 */
export async function runLocally(
  argv: readonly string[],
  { environment = {} }: Pick<ProcessOptions, "environment"> = {},
): Promise<Ending> {
  let out = "";
  let error = "";
  const code = await run(argv, {
    environment: { ...processEnvironment, ...environment },
    out: (text) => (out += text),
    error: (text) => (error += text),
    clock: systemClock,
  });
  return { code, signal: null, out, error };
}

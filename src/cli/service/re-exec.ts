import { memoryProfile, usesEmbeddedStore } from "../../app/memory-profile.ts";

/** Major versions of Node that have the flags of all profiles, so that a start need not ask them: 30 ms of CPU time. */
const testedNodes: ReadonlySet<number> = new Set([24, 26]);

/** Resets the flag, which would otherwise override the smaller limits of worker threads. */
const flagForThreads = "--max-semi-space-size=0";

/**
 * Re-executes the process with the flags and the environment of its memory profile, under the same process id. Returns when
 * that has been done, and on systems without execve (Windows), where the service takes more memory. Omits flags that the
 * running Node does not support. Must be called before any thread starts.
 *
 * Returns whether the process will use the embedded store, unless its settings are invalid.
 */
export function reExec(): { readonly isEmbedded: boolean } {
  const { execArgv, execPath, argv, env, versions } = process;
  const { flags, environment } = memoryProfile(argv, env);
  if (execArgv.includes(flags[0])) {
    // Not imported above, because the process before the re-exec does without it.
    process.getBuiltinModule("node:v8").setFlagsFromString(flagForThreads);
    return { isEmbedded: usesEmbeddedStore(argv, env) };
  }
  const known = testedNodes.has(Number.parseInt(versions.node)) ? flags : knownFlags(execPath, flags);
  try {
    process.execve?.(execPath, [execPath, ...known, ...execArgv, ...argv.slice(1)], { ...environment, ...env });
  } catch {
    // Harmless: the service runs with more memory.
  }
  return { isEmbedded: usesEmbeddedStore(argv, env) };
}

/**
 * Returns the flags that this Node supports. V8's flags differ between versions, and Node exits with `bad option` on an
 * unknown one; there is no API that lists them, so this runs the executable with them.
 */
export function knownFlags(execPath: string, flags: readonly string[]): readonly string[] {
  // Not imported above, because most starts do without it.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const starts = (some: readonly string[]): boolean =>
    spawnSync(execPath, [...some, "--version"], { stdio: "ignore" }).status === 0;
  return starts(flags) ? flags : flags.filter((flag) => starts([flag]));
}

import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";

/** Memory settings of a process that only take effect at its start. */
interface MemoryProfile {
  /** V8 flags. Every supported Node has the first one; its presence shows that the re-exec is done. */
  readonly flags: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Profile for the embedded store: little memory. The young generation would grow to 64 MB without benefit, because parsed
 * mail does not survive one small collection, and V8 would pool its freed pages. glibc would keep memory that the index has
 * freed: an arena for each thread, fragmented by its large arrays. Measured gain: docs/reference/performance.md.
 */
const embedded: MemoryProfile = {
  flags: ["--max-semi-space-size=16", "--no-memory-pool"],
  environment: { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" },
};
/**
 * Profile for nodes on PostgreSQL, which have no such index: little CPU. Mails that wait for their commit would be promoted
 * to the old generation and cause a full collection every few hundred mails.
 */
const shared: MemoryProfile = { flags: ["--max-semi-space-size=32", "--initial-old-space-size=128"], environment: {} };

/** Resets the flag, which would otherwise override the smaller limits of worker threads. */
const flagForThreads = "--max-semi-space-size=0";

/**
 * Re-executes the process with the flags and the environment of its memory profile, under the same process id. Returns when
 * that has been done, and on systems without execve (Windows), where the service takes more memory. Omits flags that the
 * running Node does not support. Must be called before any thread starts.
 */
export function reExec(): void {
  const { execArgv, execPath, argv, env } = process;
  const isShared = "RESTANTE_DATABASE_URL" in env || argv.some((one) => one.startsWith("--database-url"));
  const { flags, environment } = isShared ? shared : embedded;
  if (execArgv.includes(flags[0])) {
    setFlagsFromString(flagForThreads);
    return;
  }
  const known = knownFlags(execPath, flags);
  try {
    process.execve?.(execPath, [execPath, ...known, ...execArgv, ...argv.slice(1)], { ...environment, ...env });
  } catch {
    // Harmless: the service runs with more memory.
  }
}

/**
 * Returns the flags that this Node supports. V8's flags differ between versions, and Node exits with `bad option` on an
 * unknown one; there is no API that lists them, so this runs the executable with them.
 */
export function knownFlags(execPath: string, flags: readonly string[]): readonly string[] {
  const starts = (some: readonly string[]): boolean =>
    spawnSync(execPath, [...some, "--version"], { stdio: "ignore" }).status === 0;
  return starts(flags) ? flags : flags.filter((flag) => starts([flag]));
}

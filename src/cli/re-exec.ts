import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";

/** Settings for the memory of a process, which only count when they are there at its start. */
interface MemoryProfile {
  /** The first one is known to every supported Node; its presence shows that the re-exec is done. */
  readonly flags: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * For the embedded store: small. The young generation would grow to 64 MB for nothing, as mail is read and gone within one
 * small collection, and pages it gave back would be kept for it. glibc would keep what the index needed: an arena for each
 * thread, and holes in them where its large arrays were.
 */
const embedded: MemoryProfile = {
  flags: ["--max-semi-space-size=16", "--no-memory-pool"],
  environment: { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" },
};
/**
 * For nodes on PostgreSQL, which have no such index: little work. Mails wait for their commit in the young generation, and
 * what of them is old by then would have the whole heap collected every few hundred mails.
 */
const shared: MemoryProfile = { flags: ["--max-semi-space-size=32", "--initial-old-space-size=128"], environment: {} };

/** The flag would otherwise overrule what worker threads are given, which is less. */
const flagForThreads = "--max-semi-space-size=0";

/**
 * Replaces the process by the same command with the flags and the environment of its memory profile; process id, files and
 * terminal stay. Returns when the process has been replaced already, before any thread starts, and where a process cannot
 * be replaced (on Windows): the service takes more memory there. Flags that the running Node does not know are left out.
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
    // Less memory is not worth a failed start.
  }
}

/**
 * Returns those of the flags with which this Node starts. V8's flags come and go between versions, and a process that
 * replaces itself with one that is unknown ends with `bad option`; no list in Node names them, so Node itself is asked.
 */
export function knownFlags(execPath: string, flags: readonly string[]): readonly string[] {
  const starts = (some: readonly string[]): boolean =>
    spawnSync(execPath, [...some, "--version"], { stdio: "ignore" }).status === 0;
  return starts(flags) ? flags : flags.filter((flag) => starts([flag]));
}

import { setFlagsFromString } from "node:v8";

/**
 * What keeps the service's memory small, and only counts when it is there at a process's start.
 *
 * The young generation would grow to 64 MB for nothing, as mail is read and gone within one small collection, and pages it
 * gave back would be kept for it.
 */
const flags: readonly string[] = ["--max-semi-space-size=16", "--no-memory-pool"];
/**
 * glibc would keep what the embedded store's index needed: an arena for each thread, and holes in them where its large
 * arrays were. It costs each mail some microseconds, so nodes on PostgreSQL, which have no such index, do without.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" };

/** The flag would otherwise overrule what worker threads are given, which is less. */
const flagForThreads = "--max-semi-space-size=0";

/**
 * Makes the process begin once more with these settings, in its own place: number, files and terminal stay. Comes back
 * where they are set already, before any thread begins, and where a process cannot be replaced (on Windows): the service
 * takes more memory there.
 */
export function beginAnew(): void {
  const { execArgv, execPath, argv, env } = process;
  if (flags.every((flag) => execArgv.includes(flag))) {
    setFlagsFromString(flagForThreads);
    return;
  }
  const isEmbedded = !("RESTANTE_DATABASE_URL" in env) && !argv.some((one) => one.startsWith("--database-url"));
  const environment = isEmbedded ? { ...allocator, ...env } : env;
  try {
    process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], environment);
  } catch {
    // The memory is worth nobody's failure.
  }
}

import { setFlagsFromString } from "node:v8";

/** What a process is given for its memory, which only counts when it is there at its start. */
interface Provision {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * For the embedded store: small. The young generation would grow to 64 MB for nothing, as mail is read and gone within one
 * small collection, and pages it gave back would be kept for it. glibc would keep what the index needed: an arena for each
 * thread, and holes in them where its large arrays were.
 */
const embedded: Provision = {
  flags: ["--max-semi-space-size=16", "--no-memory-pool"],
  environment: { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" },
};
/**
 * For nodes on PostgreSQL, which have no such index: little work. Mails wait for their commit in the young generation, and
 * what of them is old by then would have the whole heap collected every few hundred mails.
 */
const shared: Provision = { flags: ["--max-semi-space-size=32", "--initial-old-space-size=128"], environment: {} };

/** The flag would otherwise overrule what worker threads are given, which is less. */
const flagForThreads = "--max-semi-space-size=0";

/**
 * Makes the process begin once more with these settings, in its own place: number, files and terminal stay. Comes back
 * where they are set already, before any thread begins, and where a process cannot be replaced (on Windows): the service
 * takes more memory there.
 */
export function beginAnew(): void {
  const { execArgv, execPath, argv, env } = process;
  const isShared = "RESTANTE_DATABASE_URL" in env || argv.some((one) => one.startsWith("--database-url"));
  const { flags, environment } = isShared ? shared : embedded;
  if (flags.every((flag) => execArgv.includes(flag))) {
    setFlagsFromString(flagForThreads);
    return;
  }
  try {
    process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...environment, ...env });
  } catch {
    // The memory is worth nobody's failure.
  }
}

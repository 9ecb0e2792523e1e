/** Memory settings of a process that only take effect at its start. */
export interface MemoryProfile {
  /** V8 flags. Every supported Node has the first one; its presence shows that the re-exec is done. */
  readonly flags: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Settings of glibc's allocator for the embedded store. The context in which zstd compresses a mail of 26 kB takes 468 KiB:
 * with a lower threshold for mappings, the writer thread would map and unmap it for most mails. With a threshold for mappings,
 * glibc no longer adapts the other one by itself: it would return the end of an arena to the system whenever 128 KiB of it
 * are free, and take it back with the next mail.
 */
export const embeddedAllocator: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "524288",
  MALLOC_TRIM_THRESHOLD_: "2097152",
};

/**
 * Profile for the embedded store: little memory. The young generation would grow to 64 MB without benefit, because parsed
 * mail does not survive one small collection, and each thread that helps with a collection would promote mail to pages of
 * its own. glibc would keep memory that the index has freed: an arena for each thread,
 * fragmented by its large arrays. Measured gain: docs/reference/performance.md.
 */
const embedded: MemoryProfile = {
  flags: ["--max-semi-space-size=8", "--no-parallel-scavenge"],
  environment: embeddedAllocator,
};
/**
 * Profile for nodes on PostgreSQL, which have no such index: little CPU. Mails that wait for their commit would be promoted
 * to the old generation and cause a full collection every few hundred mails.
 */
const shared: MemoryProfile = { flags: ["--max-semi-space-size=32", "--initial-old-space-size=128"], environment: {} };

/** Returns the profile for the store that arguments and environment choose. */
export function memoryProfile(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): MemoryProfile {
  return usesEmbeddedStore(argv, env) ? embedded : shared;
}

/** Whether arguments and environment choose the embedded store, and not PostgreSQL. */
export function usesEmbeddedStore(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): boolean {
  return !("RESTANTE_DATABASE_URL" in env) && !argv.some((one) => one.startsWith("--database-url"));
}

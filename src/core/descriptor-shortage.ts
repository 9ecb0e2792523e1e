/** Errors of a process, and of a machine, without a free file descriptor (errno(3)). */
const shortageCodes: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);

/** Returns whether an error says that file descriptors have run out. */
export function isDescriptorShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && shortageCodes.has(String(error.code));
}

/** Worker threads: the URLs of their modules, and the errors of calls that ended with them. */

/**
 * Returns the URL of a worker module beside the calling module, `name` without ending: `workerUrl(import.meta.url,
 * "write-worker")`. It has the file extension of the caller: `.ts` in the sources, `.js` in the
 * build, where the compiler rewrites imports but no other strings.
 */
export function workerUrl(moduleUrl: string, name: string): URL {
  const ending = moduleUrl.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`./${name}${ending}`, moduleUrl);
}

/** Cause of a call that failed because its worker exited: out of memory, or crashed; not of one that took too long. */
export class WorkerDeath extends Error {
  override readonly name: string = "WorkerDeath";
}

const causeCountMax = 10;

/** Returns whether an error, or one of its causes, is a {@link WorkerDeath}. */
export function isWorkerDeath(error: unknown): boolean {
  let cause = error;
  for (let count = 0; count < causeCountMax && cause instanceof Error; count += 1) {
    if (cause instanceof WorkerDeath) return true;
    ({ cause } = cause);
  }
  return false;
}

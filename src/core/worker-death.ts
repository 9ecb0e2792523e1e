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

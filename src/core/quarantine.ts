/**
 * Quarantine of queued work that ends the process or the worker that executes it. Each claim of a piece of work is counted as
 * open until its outcome is recorded; a claim that no outcome followed was a death. The stores implement the same rule in SQL.
 */

/** Limits of work that ends the process, with the abuse that each prevents. */

/**
 * Attempts of a piece of queued work that ended the process or the worker, after which it is quarantined. A single one may be
 * a coincidence: all work that runs when the process dies is counted.
 */
export const deathCountMax = 2;

/** Pieces of a queue that run at the same time after one death each, so that the next death quarantines no more of them. */
export const suspectCountMax = 4;

/** Pieces of quarantined work that one list contains, and that one call releases. */
export const quarantineListCountMax = 1000;

/** Queues whose work is leased, by the name that the API shows. */
export const leasedQueues = ["outbox", "deliveries", "scans", "scheduled", "reparses"] as const;

/** Queue whose work is leased. */
export type LeasedQueueName = (typeof leasedQueues)[number];

/** Text that is shown as the last error of quarantined work. */
export const quarantineReason: string = `Quarantined: ${String(deathCountMax)} attempts ended the process or worker that made them; retry by hand`;

/** Due work, with the number of its claims that no outcome has followed. */
export interface DueWork {
  readonly openClaims: number;
}

/**
 * Returns the due work that a claim may take, in order: all that no death is known of, and suspects as long as fewer than
 * `suspectCountMax` run. Work that has died too often is not claimed; it waits for its quarantine.
 */
export function takeWork<Work extends DueWork>(due: readonly Work[], runningSuspectCount: number): readonly Work[] {
  let free = suspectCountMax - runningSuspectCount;
  return due.filter(({ openClaims }) => {
    if (openClaims === 0) return true;
    free -= 1;
    return openClaims < deathCountMax && free >= 0;
  });
}

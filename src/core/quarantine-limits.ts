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

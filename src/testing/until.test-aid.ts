/** Waits of tests for a condition without an event. */
import { setImmediate, setTimeout } from "node:timers/promises";

/** Turns in which most conditions become true, because they need no socket, thread or file. */
const turnCountMax = 50;
const pauseMs = 1;

/**
 * Resolves when the condition holds. It is checked in the next turns of the event loop, then every millisecond, because a
 * check in each turn would keep a core busy for as long as the test waits.
 */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) await (turn < turnCountMax ? setImmediate() : setTimeout(pauseMs));
}

/** Waits of tests for a condition without an event. */
import { setImmediate, setTimeout } from "node:timers/promises";

/** Turns in which most conditions become true, because they need no socket, thread or file. */
const turnCountMax = 50;
const pauseMs = 1;

/** Longest wait, in milliseconds, which only matters when a test fails; the test runner sets it for each test file. */
export const longestWait: { ms: number } = { ms: 120_000 };

/**
 * Resolves when the condition holds. It is checked in the next turns of the event loop, then every millisecond, because a
 * check in each turn would keep a core busy for as long as the test waits. Rejects with the text of the condition when it does
 * not hold after {@link longestWait}.
 */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + longestWait.ms;
  for (let turn = 0; !condition(); turn += 1) {
    if (performance.now() > end)
      throw new Error(`this did not hold within ${longestWait.ms / 1000} s: ${String(condition)}`);
    await (turn < turnCountMax ? setImmediate() : setTimeout(pauseMs));
  }
}

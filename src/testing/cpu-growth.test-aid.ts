import { expect } from "vitest";

const runCount = 5;
const factor = 8;
/** CPU time below which a measurement is noise, in milliseconds. */
const noiseMs = 5;

/** CPU time that this thread spends on an action, in milliseconds. */
function cpuMs(action: () => void): number {
  const before = process.threadCpuUsage();
  action();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max((user + system) / 1000, noiseMs);
}

/**
 * Expects the CPU time of an action to grow with its size, not with the square: it runs the action for a size and for eight
 * times the size, for which a quadratic action takes sixty-four times as long and a linear one may take 24 times. The least
 * of several runs counts; the large size runs again only while it takes too long.
 */
export function expectLinearCpu(action: (size: number) => void, size: number): void {
  action(size);
  const bound = 3 * factor * Math.min(...Array.from({ length: runCount }, () => cpuMs(() => action(size))));
  let leastMs = Infinity;
  for (let run = 0; run < runCount && leastMs >= bound; run += 1) {
    leastMs = Math.min(
      leastMs,
      cpuMs(() => action(size * factor)),
    );
  }
  expect(leastMs).toBeLessThan(bound);
}

import { expect } from "vitest";

const runCount = 5;
const factor = 8;
/** CPU time below which a measurement is noise, in milliseconds. */
const noiseMs = 5;

/** Least CPU time that this thread spends on several runs of an action, in milliseconds. */
function leastCpuMs(action: () => void): number {
  const runs = Array.from({ length: runCount }, () => {
    const before = process.threadCpuUsage();
    action();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(Math.min(...runs), noiseMs);
}

/**
 * Expects the CPU time of an action to grow with its size, not with the square: it runs the action for a size and for eight
 * times the size, for which a quadratic action takes sixty-four times as long and a linear one may take 24 times.
 */
export function expectLinearCpu(action: (size: number) => void, size: number): void {
  action(size);
  expect(leastCpuMs(() => action(size * factor))).toBeLessThan(3 * factor * leastCpuMs(() => action(size)));
}

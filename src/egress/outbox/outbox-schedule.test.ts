import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attemptCountMax, nextAttemptAt, pauseMsMax, pausesMsMax } from "./outbox-queue.ts";

const minute = 60_000;
const pauses = (firstPauseMs: number, random: number): number[] =>
  Array.from(
    { length: attemptCountMax - 1 },
    (_, index) => nextAttemptAt({ attempts: index + 1, failedAt: 0 }, firstPauseMs, random) ?? Number.NaN,
  );

describe("nextAttemptAt", () => {
  test("doubles the pauses from a minute to a day", () => {
    expect(pauses(minute, 0.5).map((pause) => pause / minute)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440,
    ]);
  });

  test("returns null after the last attempt", () => {
    expect(nextAttemptAt({ attempts: attemptCountMax - 1, failedAt: 5 }, minute, 0.5)).toBe(5 + pauseMsMax);
    expect(nextAttemptAt({ attempts: attemptCountMax, failedAt: 5 }, minute, 0.5)).toBeNull();
    expect(nextAttemptAt({ attempts: attemptCountMax + 1, failedAt: 5 }, minute, 0.5)).toBeNull();
  });

  test("adds jitter of a fifth in both directions, up to a day", () => {
    expect(pauses(minute, 0).slice(0, 2)).toEqual([48_000, 96_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: attemptCountMax - 1 }),
        fc.integer({ min: 1, max: 10 * pauseMsMax }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, firstPauseMs, random) => {
          const pause = (nextAttemptAt({ attempts, failedAt: 1000 }, firstPauseMs, random) ?? Number.NaN) - 1000;
          const plain = firstPauseMs * 2 ** (attempts - 1);
          expect(pause).toBeLessThanOrEqual(pauseMsMax);
          expect(pause).toBeGreaterThanOrEqual(Math.min(Math.round(plain * 0.8), pauseMsMax));
          expect(pause).toBeLessThanOrEqual(Math.round(plain * 1.2));
        },
      ),
    );
  });

  test("pausesMsMax lists the longest pause for each number of attempts", () => {
    expect(pausesMsMax(minute).map((pause) => pause / minute)).toEqual([
      0, 1.2, 2.4, 4.8, 9.6, 19.2, 38.4, 76.8, 153.6, 307.2, 614.4, 1228.8, 1440,
    ]);
  });
});

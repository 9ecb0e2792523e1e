import type { Clock } from "../../../core/clock.ts";

/** Recent searches without matches, for detecting clients that poll. */
export interface Polls {
  noteEmpty(fingerprint: string): void;
  /** Returns whether the same search had no match within the last three seconds. */
  isRepeat(fingerprint: string): boolean;
}

const repeatWithinMs = 3000;
const rememberedCountMax = 20_000;

/** Creates a record of at most 20,000 searches; the oldest is evicted first. */
export function createPolls(clock: Pick<Clock, "monotonicMs">): Polls {
  const emptyAt = new Map<string, number>();
  const forgetOld = (): void => {
    for (const [fingerprint, at] of emptyAt) {
      if (clock.monotonicMs() - at <= repeatWithinMs && emptyAt.size <= rememberedCountMax) return;
      emptyAt.delete(fingerprint);
    }
  };
  return {
    noteEmpty(fingerprint) {
      emptyAt.delete(fingerprint);
      emptyAt.set(fingerprint, clock.monotonicMs());
      forgetOld();
    },
    isRepeat(fingerprint) {
      const at = emptyAt.get(fingerprint);
      return at !== undefined && clock.monotonicMs() - at <= repeatWithinMs;
    },
  };
}

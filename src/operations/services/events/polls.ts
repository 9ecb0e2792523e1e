import type { Clock } from "../../../core/clock.ts";

/** Remembers which searches came back empty a moment ago: whoever repeats one is polling. */
export interface Polls {
  noteEmpty(fingerprint: string): void;
  /** Whether the same search was answered empty within the last three seconds. */
  isRepeat(fingerprint: string): boolean;
}

const repeatWithinMs = 3000;
const rememberedCountMax = 20_000;

/** Remembers at most 20,000 searches; the one noted longest ago is forgotten first. */
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

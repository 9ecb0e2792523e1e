import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";

/** How much the account may send out within an hour; what stays inside does not count. */
export interface LeavingQuota {
  /** Counts `count` deliveries, or throws `too_many_requests` with the seconds to wait and counts none. */
  take(count: number): void;
}

const windowMs = 3_600_000;

/** A quota with a window of one hour from its first delivery; a restart opens a new one. */
export function createLeavingQuota(clock: Pick<Clock, "now">, countPerHourMax: number): LeavingQuota {
  let startedAt = -Infinity;
  let taken = 0;
  return {
    take(count) {
      if (count === 0) return;
      const now = clock.now();
      if (now - startedAt >= windowMs) {
        startedAt = now;
        taken = 0;
      }
      if (taken + count > countPerHourMax) {
        const retryAfterSeconds = Math.max(1, Math.ceil((startedAt + windowMs - now) / 1000));
        const text = `At most ${String(countPerHourMax)} deliveries leave within an hour`;
        throw new Problem("too_many_requests", { text, retryAfterSeconds });
      }
      taken += count;
    },
  };
}

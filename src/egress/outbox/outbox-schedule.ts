/** Retry schedule of the outbox. */

/** Longest pause between two attempts. */
export const pauseMsMax: number = 24 * 60 * 60 * 1000;
/** Attempts before an entry fails. With a first pause of a minute the pauses double from 1 min to 17 h, and the last is 24 h. */
export const attemptCountMax = 13;
/** Jitter in both directions, as a share of the pause. */
const jitterShare = 0.2;

/** Failed attempt. */
export interface FailedAttempt {
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/**
 * Returns the time of the next attempt in milliseconds since the Unix epoch; null after the last attempt. Pauses double from
 * `firstPauseMs`, with jitter by `random` (0 inclusive to 1 exclusive), up to {@link pauseMsMax}.
 */
export function nextAttemptAt(attempt: FailedAttempt, firstPauseMs: number, random: number): number | null {
  if (attempt.attempts >= attemptCountMax) return null;
  const pauseMs = firstPauseMs * 2 ** (attempt.attempts - 1);
  const spread = 1 + jitterShare * (2 * random - 1);
  return attempt.failedAt + Math.round(Math.min(pauseMs * spread, pauseMsMax));
}

/** Returns the longest pauses after 0, 1, 2, … attempts that {@link nextAttemptAt} can choose. */
export function pausesMsMax(firstPauseMs: number): readonly number[] {
  return Array.from({ length: attemptCountMax }, (_, attempts) =>
    attempts === 0 ? 0 : (nextAttemptAt({ attempts, failedAt: 0 }, firstPauseMs, 1) ?? pauseMsMax),
  );
}

/** When mail that could not be handed on is tried again, and when it no longer is. Pure: time and chance are given. */

/** Longest pause between two attempts. */
export const pauseMsMax: number = 24 * 60 * 60 * 1000;
/** With a first pause of a minute the pauses double from 1 min to 17 h, and the last is 24 h. */
export const attemptCountMax = 13;
/** Attempts of many mails that failed together are spread by this share of their pause, either way. */
const jitterShare = 0.2;

/** An attempt that failed and may be repeated. */
export interface FailedAttempt {
  /** Attempts made so far, this one included. */
  readonly attempts: number;
  /** When it failed, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/**
 * When to try again, in milliseconds since the Unix epoch; null when the mail has failed for good. Pauses double from
 * `firstPauseMs`, spread by `random` (0 inclusive to 1 exclusive), and never exceed {@link pauseMsMax}.
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

/** Retry schedule of callbacks: that of the Standard Webhooks specification. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Pauses after the first, second, … failed attempt; the delivery fails with the attempt after the last. */
const pausesMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
/** Usual number of attempts. */
const callbackAttemptCountMax: number = pausesMs.length + 1;
/** Longest pause, also for a `Retry-After`. */
const callbackPauseMsMax: number = 24 * hour;
/** Jitter in both directions, as a share of the pause. */
const jitterShare = 0.2;

/** Failed attempt. */
interface FailedCallback {
  /** Position in the schedule: attempts since the delivery was stored or replayed, including this one. */
  readonly step: number;
  /** Attempts before the delivery fails; null for {@link callbackAttemptCountMax}. */
  readonly attemptsMax: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly failedAt: number;
  /** Pause that the receiver asked for; null for none. */
  readonly retryAfterMs: number | null;
}

/** Pauses and their jitter. */
export interface CallbackPauses {
  /** First pause, at most 5 s: a shorter one shortens all pauses in proportion. */
  readonly firstPauseMs: number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: number;
}

/**
 * Returns the instant of the next attempt in milliseconds since the Unix epoch, null after the last attempt. A
 * `Retry-After` lengthens the pause, up to {@link callbackPauseMsMax}.
 */
export function nextCallbackAt(failed: FailedCallback, { firstPauseMs, random }: CallbackPauses): number | null {
  if (failed.step >= (failed.attemptsMax ?? callbackAttemptCountMax)) return null;
  const pauseMs = pauseAfter(failed.step, firstPauseMs) * (1 + jitterShare * (2 * random - 1));
  return failed.failedAt + Math.round(Math.min(Math.max(pauseMs, failed.retryAfterMs ?? 0), callbackPauseMsMax));
}

/**
 * Returns the longest pauses of the schedule after 0, 1, 2, … attempts, without regard to `Retry-After`. First attempts may be
 * planned for later.
 */
export function callbackPausesMsMax(firstPauseMs: number): readonly (number | null)[] {
  const longest = pausesMs.map((_, step) => pauseAfter(step + 1, firstPauseMs) * (1 + jitterShare));
  return [null, ...longest.map((pauseMs) => Math.ceil(Math.min(pauseMs, callbackPauseMsMax)))];
}

function pauseAfter(step: number, firstPauseMs: number): number {
  const scale = Math.min(1, firstPauseMs / (pausesMs[0] ?? 1));
  return (pausesMs[step - 1] ?? callbackPauseMsMax) * scale;
}

/**
 * Returns the pause of a `Retry-After` field (RFC 9110 §10.2.3) in milliseconds, at most {@link callbackPauseMsMax}; null
 * for a malformed value or an instant in the past.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (!/^(?:\d{1,10}|[A-Z][a-z]{2}.{10,40})$/.test(text)) return null;
  const pauseMs = /^\d/.test(text) ? Number(text) * second : Date.parse(text) - now;
  return pauseMs > 0 ? Math.min(pauseMs, callbackPauseMsMax) : null;
}

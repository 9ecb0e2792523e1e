/** Messages stored within one day of UTC. */
export interface DayUsage {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly email: number;
  readonly sms: number;
}

/** Returns the day of an instant in milliseconds since the Unix epoch, in days since 1970-01-01 (UTC). */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / dayMs);
}

/** Returns the first instant of a day, in milliseconds since the Unix epoch. */
export function startOfDay(day: number): number {
  return day * dayMs;
}

const dayMs = 86_400_000;

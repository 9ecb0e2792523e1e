import type { Clock } from "../core/clock.ts";

interface Appointment {
  readonly at: number;
  readonly action: () => void;
}

/** Clock that advances only on request. */
export class FakeClock implements Clock {
  readonly #appointments = new Set<Appointment>();
  /** Monotonic time; the wall clock shows it plus an offset. */
  #now = 0;
  #wallOffset: number;

  /** Starts at `now`, in milliseconds since the Unix epoch. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = now;
  }

  /** Number of pending timers. */
  get appointmentCount(): number {
    return this.#appointments.size;
  }

  now(): number {
    return this.#wallOffset + this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** Steps the wall clock forward (or back) by `ms`; timers and monotonic time are not affected. */
  stepWall(ms: number): void {
    this.#wallOffset += ms;
  }

  after(delayMs: number, action: () => void): () => void {
    const appointment = { at: this.#now + Math.max(0, delayMs), action };
    this.#appointments.add(appointment);
    return () => {
      this.#appointments.delete(appointment);
    };
  }

  /**
   * Advances by `ms` and calls due timers in order of time, then of creation. Each action sees its own instant; timers that
   * actions set within the span are called too.
   */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextBy(end); next !== undefined; next = this.#nextBy(end)) {
      this.#appointments.delete(next);
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
  }

  #nextBy(end: number): Appointment | undefined {
    let next: Appointment | undefined;
    for (const appointment of this.#appointments) {
      if (appointment.at <= end && (next === undefined || appointment.at < next.at)) next = appointment;
    }
    return next;
  }
}

import type { Clock } from "../core/clock.ts";

interface Appointment {
  readonly at: number;
  readonly action: () => void;
}

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  readonly #appointments = new Set<Appointment>();
  /** Monotonic time; the wall clock shows it plus an offset. */
  #now = 0;
  #wallOffset: number;

  /** Starts at `now`, in milliseconds since the Unix epoch. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = now;
  }

  /** How many actions wait to be called. */
  get appointmentCount(): number {
    return this.#appointments.size;
  }

  now(): number {
    return this.#wallOffset + this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** Sets the wall clock forward (or back) by `ms`, as an operator would; timers and monotonic time do not notice. */
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
   * Moves on by `ms` and calls what becomes due on the way, in the order of time (of making, for the same instant); each
   * action sees its own instant, and what it asks for within the span is called too.
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

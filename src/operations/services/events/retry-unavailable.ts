import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { WakeSignal } from "./wake-signal.ts";
import type { EventStreamReport } from "./event-streams.ts";

/** Pause before a store that could not be reached is asked again. */
const pauseMs = 500;

/** Dependencies of {@link retryWhileUnavailable}. */
export interface RetryContext {
  readonly clock: Pick<Clock, "after">;
  readonly alarm: WakeSignal;
  /** Receives every failed attempt. */
  readonly stream?: Pick<EventStreamReport, "failed">;
}

/**
 * What `read` reads, for whoever waits anyway: while the store answers `unavailable`, it is asked again, twice a second,
 * and whenever the alarm rings; when that ends, the problem is thrown.
 */
export async function retryWhileUnavailable<Result>(
  read: () => Promise<Result>,
  { clock, alarm, stream }: RetryContext,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "unavailable") throw error;
      stream?.failed(error, pauseMs);
      const cancel = clock.after(pauseMs, alarm.ring);
      const goesOn = await alarm.next();
      cancel();
      if (!goesOn) throw error;
    }
  }
}

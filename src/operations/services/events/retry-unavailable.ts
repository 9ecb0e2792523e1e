import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { WakeSignal } from "./wait-for-messages.ts";
import type { EventStreamReport } from "./event-streams.ts";

/** Pause before a retry in milliseconds. */
const pauseMs = 500;

/** Dependencies of {@link retryWhileUnavailable}. */
export interface RetryContext {
  readonly clock: Pick<Clock, "after">;
  readonly wakeSignal: WakeSignal;
  /** Receives every failed attempt. */
  readonly stream?: Pick<EventStreamReport, "failed">;
}

/**
 * Returns what `read` returns. While it rejects with `unavailable`, retries twice a second and whenever the signal wakes;
 * rejects when the signal has ended.
 */
export async function retryWhileUnavailable<Result>(
  read: () => Promise<Result>,
  { clock, wakeSignal, stream }: RetryContext,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "unavailable") throw error;
      stream?.failed(error, pauseMs);
      const cancel = clock.after(pauseMs, wakeSignal.notify);
      const isWoken = await wakeSignal.next();
      cancel();
      if (!isWoken) throw error;
    }
  }
}

import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { Alarm } from "./alarm.ts";

/** Pause before a store that could not be reached is asked again. */
const pauseMs = 500;

/**
 * What `read` reads, for whoever waits anyway: while the store answers `unavailable`, it is asked again, twice a second,
 * and whenever the alarm rings; when that ends, the problem is thrown.
 */
export async function throughOutages<Result>(
  read: () => Promise<Result>,
  { clock, alarm }: { readonly clock: Pick<Clock, "after">; readonly alarm: Alarm },
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "unavailable") throw error;
      const cancel = clock.after(pauseMs, alarm.ring);
      const goesOn = await alarm.next();
      cancel();
      if (!goesOn) throw error;
    }
  }
}

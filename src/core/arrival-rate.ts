/** Minimum rate at which others have to send what a listener waits for. */
import type { Clock } from "./clock.ts";

/** Fewest bytes that have to arrive in each period. */
export interface ArrivalRule {
  readonly periodMs: number;
  readonly bytesMin: number;
}

/** Input under way. */
export interface Arrival {
  /** Returns the bytes that have arrived so far. */
  readonly bytesArrived: () => number;
  /** Called once, at the end of the first period in which too few bytes arrived. */
  readonly onTooSlow: () => void;
}

/** Compares the arrival of an input with the rule until the returned function is called. */
export function watchArrival(clock: Pick<Clock, "after">, rule: ArrivalRule, arrival: Arrival): () => void {
  let bytesBefore = arrival.bytesArrived();
  const check = (): void => {
    const bytes = arrival.bytesArrived();
    if (bytes - bytesBefore < rule.bytesMin) {
      arrival.onTooSlow();
      return;
    }
    bytesBefore = bytes;
    cancel = clock.after(rule.periodMs, check);
  };
  let cancel = clock.after(rule.periodMs, check);
  return () => {
    cancel();
  };
}

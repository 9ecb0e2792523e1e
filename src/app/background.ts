import type { Clock } from "../core/clock.ts";

/** Work that comes back again and again. */
export interface Chore {
  /** Does one round. */
  readonly action: () => Promise<void>;
  /** Pause between the end of a round and the start of the next. */
  readonly everyMs: number;
  /** Hears of a round that failed; the next one is tried all the same. */
  readonly onFault: (error: unknown) => void;
}

/** Begins a chore, the first round after one pause; the returned function resolves when no round runs any more. */
export function startChore(clock: Clock, chore: Chore): () => Promise<void> {
  let isStopped = false;
  let round: Promise<void> = Promise.resolve();
  let cancel = clock.after(chore.everyMs, begin);

  function begin(): void {
    round = chore.action().catch(chore.onFault).then(plan);
  }
  function plan(): void {
    if (!isStopped) cancel = clock.after(chore.everyMs, begin);
  }
  return async () => {
    isStopped = true;
    cancel();
    await round;
  };
}

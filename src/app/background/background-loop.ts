import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";

/** Work that is repeated for as long as the service runs. */
export interface BackgroundLoop {
  /** Runs one round; may return the pause in milliseconds until the next one, which replaces `everyMs` once. */
  readonly round: () => Promise<number | undefined | void>;
  /** Pause in milliseconds between the end of a round and the start of the next. */
  readonly everyMs: number;
  /** Pause after the first failed round, in milliseconds; `everyMs` by default. */
  readonly retryMsMin?: number;
  /** Longest pause after failed rounds in a row, in milliseconds; a minute by default, never shorter than the first. */
  readonly retryMsMax?: number;
  /** Reporter of the loop; ended when the loop stops. */
  readonly task: BackgroundTask;
}

/** Loop that runs its first round at once, and further ones also when it is woken. */
export interface WakeableLoop {
  /** Runs a round now, or after the current one. */
  readonly wake: () => void;
  /** Stops the loop; resolves when the current round has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a loop, the first round after one pause. A round that fails is reported, and the pause doubles with each further
 * consecutive failure, up to `retryMsMax`. The returned function stops the loop and resolves when the current round ends.
 */
export function startBackgroundLoop(clock: Pick<Clock, "after">, loop: BackgroundLoop): () => Promise<void> {
  return openLoop(clock, loop, false).stop;
}

/** Starts a loop as {@link startBackgroundLoop} does, the first round at once. */
export function startWakeableLoop(clock: Pick<Clock, "after">, loop: BackgroundLoop): WakeableLoop {
  return openLoop(clock, loop, true);
}

function openLoop(clock: Pick<Clock, "after">, loop: BackgroundLoop, startsAtOnce: boolean): WakeableLoop {
  const { round, everyMs, task, retryMsMin = everyMs, retryMsMax = 60_000 } = loop;
  let isStopped = false;
  let isWoken = false;
  let failuresInARow = 0;
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  const begin = (): void => {
    cancel();
    running = run();
  };
  const isDueAgain = (): boolean => isWoken && !isStopped;
  const run = async (): Promise<void> => {
    isRunning = true;
    let pauseMs = everyMs;
    do {
      isWoken = false;
      try {
        pauseMs = (await round()) ?? everyMs;
        failuresInARow = 0;
        task.succeeded();
      } catch (error) {
        pauseMs = Math.max(retryMsMin, Math.min(retryMsMin * 2 ** failuresInARow, retryMsMax));
        failuresInARow += 1;
        task.failed(error, pauseMs);
      }
    } while (isDueAgain());
    isRunning = false;
    if (!isStopped) cancel = clock.after(pauseMs, begin);
  };
  if (startsAtOnce) begin();
  else cancel = clock.after(everyMs, begin);
  return {
    wake: () => {
      if (isStopped) return;
      isWoken = true;
      if (!isRunning) begin();
    },
    stop: async () => {
      isStopped = true;
      cancel();
      await running;
      task.end();
    },
  };
}

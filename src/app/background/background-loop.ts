import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";

/** Work that is repeated for as long as the service runs. */
export interface BackgroundLoop {
  /** Runs one round; may return the pause in milliseconds until the next one, which replaces `everyMs` once. */
  readonly round: () => Promise<number | undefined | void>;
  /** Pause in milliseconds between the end of a round and the start of the next. */
  readonly everyMs: number;
  /** Longest pause after failed rounds in a row, in milliseconds; a minute by default, never shorter than `everyMs`. */
  readonly retryMsMax?: number;
  /** Reporter of the loop; ended when the loop stops. */
  readonly task: BackgroundTask;
}

/**
 * Starts a loop, the first round after one pause. A round that fails is reported, and the pause doubles with each further
 * consecutive failure, up to `retryMsMax`. The returned function stops the loop and resolves when the current round ends.
 */
export function startBackgroundLoop(clock: Pick<Clock, "after">, loop: BackgroundLoop): () => Promise<void> {
  const { round, everyMs, task, retryMsMax = 60_000 } = loop;
  let isStopped = false;
  let failuresInARow = 0;
  let running: Promise<void> = Promise.resolve();
  let cancel = clock.after(everyMs, begin);

  function begin(): void {
    running = run();
  }
  async function run(): Promise<void> {
    let pauseMs = everyMs;
    try {
      pauseMs = (await round()) ?? everyMs;
      failuresInARow = 0;
      task.succeeded();
    } catch (error) {
      pauseMs = Math.max(everyMs, Math.min(everyMs * 2 ** failuresInARow, retryMsMax));
      failuresInARow += 1;
      task.failed(error, pauseMs);
    }
    if (!isStopped) cancel = clock.after(pauseMs, begin);
  }
  return async () => {
    isStopped = true;
    cancel();
    await running;
    task.end();
  };
}

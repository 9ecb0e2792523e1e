import type { Log } from "./log.ts";

/** How long an orderly end may take before the process is ended by force. */
export const stopMsMax = 15_000;

const signals = ["SIGTERM", "SIGINT"] as const;

/** What one process does about signals. */
export interface StopSignal {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly received: Promise<void>;
}

/**
 * Watches for the signals that end a service. The first one asks for an orderly end; a second one, or an end that takes
 * longer than {@link stopMsMax}, ends the process at once with status 1.
 */
export function watchStopSignals(log: Pick<Log, "warn">): StopSignal {
  const received = Promise.withResolvers<void>();
  let count = 0;
  const endNow = (why: string): void => {
    log.warn({ why }, "ended by force; what was not answered is not stored");
    process.exit(1);
  };
  for (const signal of signals) {
    process.on(signal, () => {
      count += 1;
      if (count > 1) endNow("a second signal");
      received.resolve();
      // A process that has nothing left to do must not wait for its own watchdog.
      setTimeout(endNow, stopMsMax, "the orderly end took too long").unref();
    });
  }
  return { received: received.promise };
}

import { systemClock, type Clock } from "../core/clock.ts";
import type { Log } from "./log/log.ts";

/** Time-out of a graceful stop, after which the process exits. */
export const stopMsMax = 15_000;

/** Process whose signals are handled. */
interface SignalledProcess {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** Dependencies of {@link stopSignal}; by default the real process and clock. */
export interface StopSignalDependencies {
  readonly process?: SignalledProcess;
  readonly clock?: Clock;
}

/**
 * Resolves at the first SIGTERM or SIGINT, which requests a graceful stop. A second signal, or a stop that takes longer than
 * {@link stopMsMax}, exits the process at once with status 1.
 */
export async function stopSignal(log: Pick<Log, "warn">, dependencies: StopSignalDependencies = {}): Promise<void> {
  const { process: subject = process, clock = systemClock } = dependencies;
  const exitNow = (reason: string): void => {
    log.warn({ reason }, "forced exit; mail that was not answered with 250 is not stored");
    subject.exit(1);
  };
  await new Promise<void>((resolve) => {
    let count = 0;
    const onSignal = (): void => {
      count += 1;
      if (count > 1) {
        exitNow("second signal");
        return;
      }
      // Timers of the clock do not keep the process alive.
      clock.after(stopMsMax, () => exitNow("graceful stop timed out"));
      resolve();
    };
    subject.on("SIGTERM", onSignal);
    subject.on("SIGINT", onSignal);
  });
}

import { systemClock, type Clock } from "../core/clock.ts";
import type { Log } from "./log.ts";

/** How long an orderly end may take before the process is ended by force. */
export const stopMsMax = 15_000;

/** The process whose signals count. */
interface SignalledProcess {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** What there is beside the log; the real process and clock unless a test has others. */
export interface StopSignalDependencies {
  readonly process?: SignalledProcess;
  readonly clock?: Clock;
}

/**
 * Resolves at the first SIGTERM or SIGINT, which asks for an orderly end. A second one, or an end that takes longer than
 * {@link stopMsMax}, ends the process at once with status 1.
 */
export async function stopSignal(log: Pick<Log, "warn">, dependencies: StopSignalDependencies = {}): Promise<void> {
  const { process: subject = process, clock = systemClock } = dependencies;
  const endNow = (why: string): void => {
    log.warn({ why }, "ended by force; mail that was not answered with 250 is not stored");
    subject.exit(1);
  };
  await new Promise<void>((resolve) => {
    let count = 0;
    const onSignal = (): void => {
      count += 1;
      if (count > 1) {
        endNow("a second signal");
        return;
      }
      // The clock's timers keep no process alive: one that has nothing left to do does not wait for this.
      clock.after(stopMsMax, () => {
        endNow("the orderly end took too long");
      });
      resolve();
    };
    subject.on("SIGTERM", onSignal);
    subject.on("SIGINT", onSignal);
  });
}

import type { Clock } from "../../core/clock.ts";

/** Time for which a service without callers waits for the next one while its test runner is running. */
export const lingerMsMax = 10_000;

/** Interval of checking whether test runners are still running; only without callers. */
const pollMs = 250;

/** Dependencies of {@link ServiceLifetime}. */
export interface LifetimeDependencies {
  readonly clock: Clock;
  /** Returns whether a process is running. */
  readonly isRunning: (pid: number) => boolean;
  /** Called once, when the service has to exit. */
  readonly onEnd: () => void;
}

/**
 * Lifetime of a shared service. It ends when the last caller has gone and the processes that own the callers have exited: a
 * test runner starts a worker for the next test file after the last one has gone. It ends after `lingerMsMax` without callers
 * in any case.
 */
export class ServiceLifetime {
  readonly #dependencies: LifetimeDependencies;
  readonly #owners = new Set<number>();
  #callerCount = 0;
  #cancel: (() => void) | undefined;

  /** Starts without callers; `owner` is the owner of the caller that started the service. */
  constructor(owner: number, dependencies: LifetimeDependencies) {
    this.#dependencies = dependencies;
    this.#owners.add(owner);
    this.#wait();
  }

  /** Adds a caller with its owner; the returned function removes it. */
  add(owner: number): () => void {
    this.#owners.add(owner);
    this.#callerCount += 1;
    this.#cancel?.();
    this.#cancel = undefined;
    return () => {
      this.#callerCount -= 1;
      if (this.#callerCount === 0) this.#wait();
    };
  }

  #wait(): void {
    const { clock, isRunning, onEnd } = this.#dependencies;
    const since = clock.monotonicMs();
    const check = (): void => {
      for (const owner of this.#owners) if (!isRunning(owner)) this.#owners.delete(owner);
      if (this.#owners.size === 0 || clock.monotonicMs() - since >= lingerMsMax) onEnd();
      else this.#cancel = clock.after(pollMs, check);
    };
    check();
  }
}

/** Returns whether a process of this machine is running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
